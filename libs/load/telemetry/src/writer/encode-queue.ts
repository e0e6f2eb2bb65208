/** Encoding work on the parts, run sequentially beside the journal. The journal waits above this limit. */
const PENDING_BYTES_MAX = 32 * 1024 * 1024;

interface Piece {
  readonly bytes: number;
  readonly run: () => Promise<void>;
}

export class EncodeQueue {
  readonly #onFailure: (error: unknown) => void;
  readonly #pieces: Piece[] = [];
  #pendingBytes = 0;
  #running: Promise<void> | undefined;
  #progress: PromiseWithResolvers<void> = Promise.withResolvers();
  #hasFailed = false;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** `bytes` is the memory that the piece holds until it is done. */
  add(bytes: number, run: () => Promise<void>): void {
    if (this.#hasFailed) return;
    this.#pendingBytes += bytes;
    this.#pieces.push({ bytes, run });
    this.#running ??= this.#run();
  }

  /** Resolves when the pending memory is within the limit, or a piece has failed. */
  async room(): Promise<void> {
    while (this.#pendingBytes > PENDING_BYTES_MAX && !this.#hasFailed) await this.#progress.promise;
  }

  /** Resolves when nothing is pending: all pieces are done, or one has failed. */
  async drained(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Yields to the journal and its callers between two pieces. */
  async #run(): Promise<void> {
    for (let piece = this.#pieces.shift(); piece !== undefined; piece = this.#pieces.shift()) {
      await new Promise(setImmediate);
      await this.#attempt(piece.run);
      this.#pendingBytes -= piece.bytes;
      this.#progress.resolve();
      this.#progress = Promise.withResolvers();
    }
    this.#running = undefined;
  }

  async #attempt(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#hasFailed = true;
      this.#pieces.length = 0;
      this.#onFailure(error);
    }
  }
}
