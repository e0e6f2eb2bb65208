import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/**
 * `before`: the server does not receive the COMMIT. `after`: the client does not receive its answer. `stuck`:
 * the same, and the server's side of the connection transmits nothing any more, without an end.
 */
export type Cut = 'before' | 'after' | 'stuck';

/** A relay between nodes and the database that cuts connections around COMMITs. */
export class CuttingRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #target: number | string;
  #cuts: Cut[] = [];
  #done = 0;
  #isDown = false;
  #isMute = false;
  #isStalled = false;
  #onRequest: (bytes: Buffer) => void = () => undefined;

  /** The target: a local port, or the path of a socket. */
  static async start(target: number | string): Promise<CuttingRelay> {
    const relay = new CuttingRelay(target);
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  private constructor(target: number | string) {
    this.#target = target;
    this.#server = createServer((client) => {
      if (this.#isDown) client.destroy();
      else this.#join(client);
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Number of cuts made. */
  get done(): number {
    return this.#done;
  }

  /** How the next COMMITs are cut. */
  cut(...cuts: readonly Cut[]): void {
    this.#cuts.push(...cuts);
  }

  /** Closes all connections and rejects new ones. */
  down(): void {
    this.#isDown = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  up(): void {
    this.#isDown = false;
  }

  /** Transmits nothing on any connection, and closes none, like a broken network. */
  stall(): void {
    this.#isStalled = true;
    for (const socket of this.#sockets) socket.pause();
  }

  resume(): void {
    this.#isStalled = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** Suppresses notifications on new connections, like a pooler. */
  mute(): void {
    this.#isMute = true;
  }

  /** Calls `listener` with the data that clients send. */
  onRequest(listener: (bytes: Buffer) => void): void {
    this.#onRequest = listener;
  }

  async stop(): Promise<void> {
    this.down();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket): void {
    const target = this.#target;
    const server = connect(
      typeof target === 'string' ? { path: target } : { port: target, host: '127.0.0.1' },
    );
    const commits = new Commits();
    let isDeaf = false;
    let isStuck = false;
    const heard = this.#isMute ? withoutNotifications() : (bytes: Buffer) => bytes;
    const both = [client, server];
    const end = (): void => {
      for (const socket of both) {
        socket.destroy();
        this.#sockets.delete(socket);
      }
    };
    for (const socket of both) {
      this.#sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (bytes) => {
      this.#onRequest(bytes);
      const cut = commits.isIn(bytes) ? this.#cuts.shift() : undefined;
      if (cut !== undefined) this.#done++;
      if (cut === 'before') end();
      else {
        isDeaf ||= cut === 'after';
        isStuck ||= cut === 'stuck';
        server.write(bytes);
      }
    });
    server.on('data', (bytes) => {
      if (isDeaf) end();
      else if (!isStuck) client.write(heard(bytes));
    });
    if (this.#isStalled) for (const socket of both) socket.pause();
  }
}

const NOTIFICATION = 'A'.charCodeAt(0);
const QUERY = 'Q'.charCodeAt(0);
const PARSE = 'P'.charCodeAt(0);
const BIND = 'B'.charCodeAt(0);
const COMMIT = /\bCOMMIT$/;
const LENGTH_AT = 1;
const LENGTH_BYTES = 4;

/** Cuts what comes into messages: a type byte and a length each; the first one of a client has no type. */
class Messages {
  #rest = Buffer.alloc(0);
  #lengthAt: number;

  constructor({ isFromClient }: { readonly isFromClient: boolean }) {
    this.#lengthAt = isFromClient ? 0 : LENGTH_AT;
  }

  /** The messages that these bytes complete. */
  add(bytes: Buffer): readonly Buffer[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const whole: Buffer[] = [];
    while (this.#rest.length >= this.#lengthAt + LENGTH_BYTES) {
      const end = this.#lengthAt + this.#rest.readUInt32BE(this.#lengthAt);
      if (this.#rest.length < end) break;
      whole.push(this.#rest.subarray(0, end));
      this.#rest = this.#rest.subarray(end);
      this.#lengthAt = LENGTH_AT;
    }
    return whole;
  }
}

/** Finds the COMMITs in what a client sends: as a query, or as a statement that was prepared before. */
class Commits {
  readonly #messages = new Messages({ isFromClient: true });
  readonly #prepared = new Set<string>();

  isIn(bytes: Buffer): boolean {
    // Each message is looked at: it may prepare a statement.
    return this.#messages.add(bytes).filter((message) => this.#isCommit(message)).length > 0;
  }

  #isCommit(message: Buffer): boolean {
    const [first = '', second = ''] = message.toString('latin1', LENGTH_AT + LENGTH_BYTES).split('\0', 2);
    switch (message[0]) {
      case QUERY:
        return COMMIT.test(first);
      case BIND:
        return this.#prepared.has(second);
      case PARSE:
        if (COMMIT.test(second)) this.#prepared.add(first);
        else this.#prepared.delete(first);
        return false;
      default:
        return false;
    }
  }
}

/** The server's messages without notifications. */
function withoutNotifications(): (bytes: Buffer) => Buffer {
  const messages = new Messages({ isFromClient: false });
  return (bytes) => Buffer.concat(messages.add(bytes).filter(([type]) => type !== NOTIFICATION));
}
