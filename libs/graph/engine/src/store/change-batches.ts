import type { BatchWriter } from '#graph/storage';

const CHANGES_PER_BATCH = 64;

/** Collects changes into batches of a bounded size. */
export class Changes {
  readonly #record: (write: (batch: BatchWriter) => void) => Promise<void>;
  #waiting: ((batch: BatchWriter) => void)[] = [];

  constructor(record: (write: (batch: BatchWriter) => void) => Promise<void>) {
    this.#record = record;
  }

  async add(write: (batch: BatchWriter) => void): Promise<void> {
    this.#waiting.push(write);
    if (this.#waiting.length >= CHANGES_PER_BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    const writes = this.#waiting.splice(0);
    if (writes.length === 0) return;
    await this.#record((batch) => {
      for (const write of writes) write(batch);
    });
  }
}
