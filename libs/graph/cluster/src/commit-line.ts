/**
 * A connection for small transactions beside the writes: leases, confirmations, late publications. Their
 * commits may wait for a standby for any time; nothing else queues behind them, and no second connection is
 * opened while the first one waits.
 */
import { pause } from '#platform/foundation';
import type { Connection } from './connection.ts';

/** How long a caller waits. */
const ANSWER_MS = 2_500;
/** After this time the server is asked to end the transaction. */
const GIVE_UP_MS = 10_000;

/** A database that is slower is reported. */
export const DELAY_MS = 3_000;

export class CommitLine {
  readonly #open: () => Promise<Connection>;
  #connection: Connection | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #sinceMs: number | undefined;
  #isClosed = false;

  constructor(open: () => Promise<Connection>) {
    this.#open = open;
  }

  /** Time for which a transaction has not ended; 0 if none is pending. */
  get waitingMs(): number {
    return this.#sinceMs === undefined ? 0 : performance.now() - this.#sinceMs;
  }

  /** That it takes so long that writes may fail. */
  get delay(): string | undefined {
    return this.waitingMs > DELAY_MS ? 'the database confirms no commit' : undefined;
  }

  /** The result of `work`; undefined if it failed, or while its outcome is not known. */
  async ask<T>(work: (connection: Connection) => Promise<T>): Promise<T | undefined> {
    if (this.#isClosed || this.waitingMs > ANSWER_MS) {
      if (this.waitingMs > GIVE_UP_MS) await this.#connection?.giveUp();
      return undefined;
    }
    const answered = new AbortController();
    let isLate = false;
    const asked = this.#last.then(() => (isLate ? undefined : this.#answer(work)));
    this.#last = asked;
    const result = await Promise.race([asked, pause(ANSWER_MS, answered.signal)]);
    isLate = true;
    answered.abort();
    return result ?? undefined;
  }

  /** Ends a pending transaction, whose outcome does not matter to another process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#sinceMs === undefined) await this.#connection?.close();
    else await this.#connection?.giveUp();
  }

  async #answer<T>(work: (connection: Connection) => Promise<T>): Promise<T | undefined> {
    this.#sinceMs = performance.now();
    try {
      if (this.#connection?.isLost !== false) this.#connection = await this.#open();
      if (!this.#isClosed) return await work(this.#connection);
      this.#connection.abort();
    } catch {
      this.#connection?.abort();
      this.#connection = undefined;
    } finally {
      this.#sinceMs = undefined;
    }
    return undefined;
  }
}
