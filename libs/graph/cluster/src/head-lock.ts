/**
 * This node's wait for the row lock of `head`, by which it may append. All writers of the node wait for it
 * together, each for a limited time; while nobody waits, nobody asks.
 */
import { DomainError, pause } from '#platform/foundation';
import type { Head, HeadWithNews } from './batch-table.ts';
import { DELAY_MS } from './commit-line.ts';
import type { Connection } from './connection.ts';
import type { SharedLink } from './shared-link.ts';
import { failureOf, reasonOf, unavailable } from './sql-error.ts';

/** Of a writer, from its arrival; the rest of its time is for the COMMIT. */
const PATIENCE_MS = 6_000;
/** A writer that comes while the database is known to be away waits for one attempt. */
const PATIENCE_AWAY_MS = 500;
const RETRY_MS = 100;

/** Without a reason, a signal makes an error with the stack, at the end of each turn. */
const NO_WAITER = 'no writer waits';

export interface Locked {
  readonly connection: Connection;
  readonly head: HeadWithNews;
  /** The batch whose id is in the head. */
  readonly seq: number;
}

/** The head for a copy that may have caught up during the wait; undefined if it has to be asked for again. */
export function headAt({ head, seq }: Locked, copySeq: number): Head | undefined {
  if (seq === copySeq) return head;
  const id = head.news.find((batch) => batch.seq === copySeq)?.id;
  return id === undefined ? undefined : { ...head, id };
}

export interface HeadLockOptions {
  readonly link: SharedLink;
  /** The last batch of the copy. */
  readonly seq: () => number;
  /** Resolves when another turn of this node may begin. */
  readonly settled: () => Promise<void>;
}

export class HeadLock {
  readonly #options: HeadLockOptions;
  #locked: Locked | undefined;
  #locking: Promise<void> | undefined;
  #waiters = 0;
  #sinceMs: number | undefined;
  /** Why the last attempt failed. */
  #reason: string | undefined;
  #end = new AbortController();

  constructor(options: HeadLockOptions) {
    this.#options = options;
  }

  /** Time for which writers have been waiting; 0 if none does. */
  get waitingMs(): number {
    return this.#sinceMs === undefined ? 0 : performance.now() - this.#sinceMs;
  }

  /** That it takes so long that writes may fail. */
  get delay(): string | undefined {
    return this.waitingMs > DELAY_MS ? 'the turn of another write does not end' : undefined;
  }

  /** Resolves when {@link take} may give the lock. Throws STORE_UNAVAILABLE. */
  async acquired(sinceMs: number): Promise<void> {
    if (this.#locked !== undefined) return;
    this.#waiters++;
    this.#sinceMs ??= performance.now();
    const late = Promise.withResolvers<never>();
    // After a pause of this process, an answer that has arrived meanwhile is read first.
    const giveUp = (): void => void setImmediate(() => late.reject(this.#late()));
    const timer = setTimeout(giveUp, this.#patienceMs(sinceMs));
    try {
      if (this.#locking === undefined) {
        this.#end = new AbortController();
        this.#locking = this.#lock(this.#end.signal).finally(() => {
          this.#locking = undefined;
          this.#sinceMs = undefined;
        });
        this.#locking.catch(() => undefined);
      }
      await Promise.race([this.#locking, late.promise]);
    } catch (error) {
      if (this.#waiters === 1)
        void this.take()
          ?.connection.query('ROLLBACK')
          .catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(timer);
      if (--this.#waiters === 0) this.#end.abort(NO_WAITER);
    }
  }

  /** The lock, once; undefined if it is not held. */
  take(): Locked | undefined {
    const locked = this.#locked;
    this.#locked = undefined;
    return locked?.connection.isLost === false ? locked : undefined;
  }

  close(): void {
    this.#end.abort();
  }

  #patienceMs(sinceMs: number): number {
    const leftMs = sinceMs + PATIENCE_MS - performance.now();
    const { awayMs } = this.#options.link;
    return Math.max(0, Math.min(leftMs, Math.max(PATIENCE_MS - awayMs, PATIENCE_AWAY_MS)));
  }

  #late(): DomainError {
    const { trouble, refusal } = this.#options.link;
    return unavailable(trouble ?? refusal ?? this.#reason ?? 'the turn of another write does not end');
  }

  async #lock(end: AbortSignal): Promise<void> {
    this.#reason = 'an earlier write of this node is not confirmed yet';
    await this.#options.settled();
    this.#reason = undefined;
    for (;;) {
      const locked = await this.#attempt(end);
      this.#locked = locked;
      if (end.aborted) await this.take()?.connection.query('ROLLBACK');
      if (locked !== undefined || end.aborted) return;
    }
  }

  /** Undefined if it is worth another attempt. */
  async #attempt(end: AbortSignal): Promise<Locked | undefined> {
    const { link, seq } = this.#options;
    const connection = await link.connection(end);
    try {
      const asked = seq();
      const head = await link.table.lockWithNews(connection, asked);
      if (await link.branches.begin(connection, head)) return undefined;
      return { connection, head, seq: asked };
    } catch (error) {
      this.#reason = reasonOf(error);
      if (error instanceof DomainError || failureOf(error) === 'refused') {
        link.lost(connection);
        throw unavailable(error instanceof DomainError ? error.message : reasonOf(error), error);
      }
      await this.#again(connection, error, end);
      return undefined;
    }
  }

  /** Prepares the next attempt; a connection that only got no turn is kept. */
  async #again(connection: Connection, error: unknown, end: AbortSignal): Promise<void> {
    if (failureOf(error) === 'again') {
      this.#reason = 'the turn of another write does not end';
      const isBack = await connection.query('ROLLBACK').catch(() => undefined);
      if (isBack !== undefined) return;
    }
    this.#options.link.lost(connection);
    await pause(RETRY_MS, end);
  }
}
