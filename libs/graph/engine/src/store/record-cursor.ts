import type { StoredRecord } from '#graph/storage';

/** Walks a scan record by record, waiting only between its chunks. */
export class RecordCursor {
  readonly #chunks: AsyncIterator<readonly StoredRecord[]>;
  #chunk: readonly StoredRecord[] = [];
  #at = 0;

  constructor(scan: AsyncIterable<readonly StoredRecord[]>) {
    this.#chunks = scan[Symbol.asyncIterator]();
  }

  /** The record at hand, once {@link ready} was awaited; undefined at the end. */
  get current(): StoredRecord | undefined {
    return this.#chunk[this.#at];
  }

  /** Steps on. Gives false when {@link ready} has to be awaited before `current` is read. */
  next(): boolean {
    this.#at++;
    return this.#at < this.#chunk.length;
  }

  async ready(): Promise<void> {
    while (this.#at >= this.#chunk.length) {
      const step = await this.#chunks.next();
      if (step.done === true) return;
      this.#chunk = step.value;
      this.#at = 0;
    }
  }
}
