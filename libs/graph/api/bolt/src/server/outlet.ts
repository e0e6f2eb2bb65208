import type { Socket } from 'node:net';

/** Time for a client to close after the last reply. */
const LINGER_MS = 5_000;

/** The way to a client that may read slowly, or not at all: then the connection is cut off. */
export class Outlet {
  readonly #socket: Socket;
  readonly #stallMs: number;
  /** Undefined while more can be written. */
  #room: PromiseWithResolvers<undefined> | undefined;
  #cutOff: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(socket: Socket, stallMs: number) {
    this.#socket = socket;
    this.#stallMs = stallMs;
    socket.on('drain', () => this.#drained());
    socket.once('close', () => {
      clearTimeout(this.#cutOff);
      this.#room?.resolve(undefined);
      this.#room = undefined;
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  write(bytes: Buffer): void {
    if (bytes.length === 0 || this.#hasEnded || this.#socket.destroyed) return;
    if (this.#socket.write(bytes) || this.#room !== undefined) return;
    this.#room = Promise.withResolvers();
    this.#cutOffAfter(this.#stallMs);
  }

  /** Resolves when the client has read what was written, or by {@link wake}; undefined if that is now. */
  room(): Promise<undefined> | undefined {
    return this.#room?.promise;
  }

  /** Wakes whoever waits for room, though there is none. */
  wake(): void {
    if (this.#room === undefined) return;
    this.#room.resolve(undefined);
    this.#room = Promise.withResolvers();
  }

  /** The connection closes when everything was read, or when the client stalls. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#cutOffAfter(this.#stallMs);
    this.#socket.end(() => {
      if (!this.#socket.destroyed) this.#cutOffAfter(LINGER_MS);
    });
  }

  #drained(): void {
    if (!this.#hasEnded) clearTimeout(this.#cutOff);
    this.#room?.resolve(undefined);
    this.#room = undefined;
  }

  #cutOffAfter(ms: number): void {
    clearTimeout(this.#cutOff);
    this.#cutOff = setTimeout(() => this.#socket.destroy(), ms);
  }
}
