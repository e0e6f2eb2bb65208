import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { packedByDriver, structure, type Structure, unpackedByDriver } from './driver-wire.ts';

/** Messages by name; replies have those of Bolt. */
export const MESSAGE = {
  hello: 0x01,
  goodbye: 0x02,
  reset: 0x0f,
  run: 0x10,
  begin: 0x11,
  commit: 0x12,
  rollback: 0x13,
  discard: 0x2f,
  pull: 0x3f,
  telemetry: 0x54,
  route: 0x66,
  logon: 0x6a,
  logoff: 0x6b,
} as const;

const REPLIES: ReadonlyMap<number, BoltReply['kind']> = new Map([
  [0x70, 'success'],
  [0x71, 'record'],
  [0x7e, 'ignored'],
  [0x7f, 'failure'],
]);

export interface BoltReply {
  readonly kind: 'success' | 'record' | 'ignored' | 'failure';
  /** Metadata; of a record its values; of what was ignored undefined. */
  readonly content: Readonly<Record<string, unknown>>;
}

const MAGIC = Buffer.from([0x60, 0x60, 0xb0, 0x17]);
const CHUNK_BYTES = 0xffff;

/** A client of Bolt that sends what it is told to, byte by byte. */
export class BoltPeer {
  readonly socket: Socket;
  readonly #closed: Promise<unknown>;
  #received = Buffer.alloc(0);
  #waiting: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (data: Buffer) => {
      this.#received = Buffer.concat([this.#received, data]);
      this.#waiting?.();
    });
    this.#closed = new Promise((resolve) => socket.once('close', resolve)).then(() => this.#waiting?.());
  }

  static async connect(address: string): Promise<BoltPeer> {
    const [host = '', port = ''] = address.split(':');
    const socket = connect(Number(port), host);
    await once(socket, 'connect');
    return new BoltPeer(socket);
  }

  /** A peer that has agreed on a version without a manifest. */
  static async of(address: string, major: number, minor: number): Promise<BoltPeer> {
    const peer = await BoltPeer.connect(address);
    peer.socket.write(Buffer.concat([MAGIC, Buffer.from([0, 0, minor, major]), Buffer.alloc(12)]));
    const chosen = await peer.bytes(4);
    if (chosen[3] !== major || chosen[2] !== minor)
      throw new Error(`got the version ${chosen.toString('hex')}`);
    return peer;
  }

  /** A peer of 5.8 that may run statements. */
  static async admitted(address: string, credentials = 'any'): Promise<BoltPeer> {
    const peer = await BoltPeer.of(address, 5, 8);
    peer.send(MESSAGE.hello, { user_agent: 'peer/1' });
    peer.send(MESSAGE.logon, { scheme: 'basic', principal: 'any', credentials });
    await peer.reply();
    await peer.reply();
    return peer;
  }

  /** Resolves when the connection has ended on both sides. */
  get closed(): Promise<unknown> {
    return this.#closed;
  }

  send(tag: number, ...fields: readonly unknown[]): void {
    this.socket.write(framed(packedByDriver(structure(tag, ...fields))));
  }

  /** The next reply. Rejects when the server has closed instead. */
  async reply(): Promise<BoltReply> {
    const chunks: Buffer[] = [];
    for (;;) {
      const size = (await this.bytes(2)).readUInt16BE();
      if (size > 0) chunks.push(await this.bytes(size));
      else if (chunks.length > 0) break;
    }
    const { signature, fields } = unpackedByDriver(Buffer.concat(chunks)) as Structure;
    const kind = REPLIES.get(signature);
    if (kind === undefined) throw new Error(`expected a reply, got the tag ${signature}`);
    return { kind, content: (fields[0] ?? {}) as BoltReply['content'] };
  }

  /** Replies up to one that is no record. */
  async replies(): Promise<readonly BoltReply[]> {
    const replies = [await this.reply()];
    while (replies.at(-1)?.kind === 'record') replies.push(await this.reply());
    return replies;
  }

  /** Rejects when the connection ends before. */
  async bytes(count: number): Promise<Buffer> {
    while (this.#received.length < count) {
      if (this.socket.closed) throw new Error('the server has closed the connection');
      await new Promise<void>((resolve) => (this.#waiting = resolve));
    }
    const bytes = this.#received.subarray(0, count);
    this.#received = this.#received.subarray(count);
    return bytes;
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** A message in chunks. */
export function framed(message: Buffer, chunkBytes = CHUNK_BYTES): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < message.length; at += chunkBytes) {
    const chunk = message.subarray(at, at + chunkBytes);
    parts.push(Buffer.from([chunk.length >> 8, chunk.length & 0xff]), chunk);
  }
  return Buffer.concat([...parts, Buffer.alloc(2)]);
}
