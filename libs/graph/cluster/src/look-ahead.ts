/**
 * Reads the head, and the first batches after the copy, before a node takes its own turn to apply them: no
 * writer of the node waits for the network meanwhile. One at a time; never while batches are applied, since
 * both have one connection.
 */
import type { HeadWithNews } from './batch-table.ts';
import type { SharedLink } from './shared-link.ts';

interface Seen {
  /** The last batch of the copy then. */
  readonly seq: number;
  readonly head: HeadWithNews;
}

export class LookAhead {
  readonly #link: SharedLink;
  readonly #seq: () => number;
  #looking: Promise<void> | undefined;
  #seen: Seen | undefined;
  #isPaused = false;
  /** Until batches have been applied: their reading would wait behind another look. */
  #hasFailed = false;

  /** `seq` gives the last batch of the copy. */
  constructor(link: SharedLink, seq: () => number) {
    this.#link = link;
    this.#seq = seq;
  }

  /** Throws STORE_UNAVAILABLE if the database is not reached in time. */
  async look(): Promise<void> {
    if (this.#isPaused || this.#hasFailed) return;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  /** Applies batches by `work`, without another look meanwhile. */
  async pause<T>(work: () => Promise<T>): Promise<T> {
    this.#isPaused = true;
    try {
      const result = await work();
      this.#hasFailed = false;
      return result;
    } finally {
      this.#isPaused = false;
    }
  }

  /** What was seen, once, if the copy is as it was; otherwise it is only the head. */
  async take(head: () => Promise<Omit<HeadWithNews, 'news'>>): Promise<HeadWithNews> {
    const seen = this.#seen;
    this.#seen = undefined;
    return seen?.seq === this.#seq() ? seen.head : { ...(await head()), news: [] };
  }

  async #look(): Promise<void> {
    const seq = this.#seq();
    const connection = await this.#link.reading(this.#link.deadline());
    try {
      this.#seen = { seq, head: await this.#link.table.headWithNews(connection, seq) };
    } catch {
      // Whoever applies the batches asks again.
      this.#hasFailed = true;
    }
  }
}
