/**
 * Tells other nodes which batches of this node can be read. Nobody waits for it: the COMMIT of a batch
 * confirms it, and a writer of another node takes it over with the lock. Each publication is a commit, and
 * wakes all nodes, so that those of rounds in quick succession are one.
 */
import { pause } from '#platform/foundation';
import type { BatchName } from './shared-batch.ts';

/** The least time from one publication to the next. */
const INTERVAL_MS = 5;

export class Publication {
  readonly #publish: (last: BatchName) => Promise<void>;
  /** The last batch that can be read, unless its publication has begun. */
  #next: BatchName | undefined;
  #running: Promise<void> | undefined;

  /** `publish` never rejects. */
  constructor(publish: (last: BatchName) => Promise<void>) {
    this.#publish = publish;
  }

  /** What is published may be older than what this node has confirmed. */
  get isPending(): boolean {
    return this.#running !== undefined;
  }

  /** Batches up to `last` can be read; later batches may be known to be lost. */
  note(last: BatchName): void {
    this.#next = last;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when what was noted is published, or could not be. */
  async ended(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#next !== undefined) {
      const last = this.#next;
      this.#next = undefined;
      await this.#publish(last);
      await pause(INTERVAL_MS);
    }
  }
}
