/**
 * Detects published batches: by NOTIFY, and by polling, more often where notifications do not arrive.
 * Publishes commits of a node that ended before it could publish them.
 */
import type { StorageLog } from '#graph/storage';
import { DomainError } from '#platform/foundation';
import type { BatchTable, Head } from './batch-table.ts';
import { type Branches, tokenEpoch } from './branches.ts';
import type { CommitLine } from './commit-line.ts';
import { Connection, SILENCE_MS } from './connection.ts';
import { reasonOf } from './sql-error.ts';
import type { StoreAddress } from './store-address.ts';
import type { Timelines } from './timelines.ts';

const ASK_MS = 500;
/** Polling interval without notifications. */
const ASK_OFTEN_MS = 50;
/** Poolers and some engines accept LISTEN and deliver nothing: notifications are trusted once one arrived. */
const DISTRUST_MS = 60_000;
/** How long a committed batch may stay unpublished. */
const UNPUBLISHED_MS = 1_000;
/** Bounds the memory of a node that is far behind. */
const UNAPPLIED_MAX = 1_000;

export interface WatchOptions {
  readonly address: StoreAddress;
  readonly schema: string;
  readonly node: string;
  readonly log: StorageLog;
  readonly table: BatchTable;
  readonly timelines: Timelines;
  readonly branches: Branches;
  readonly commits: CommitLine;
}

/**
 * Gets the last published batch and the epoch of the history; the epoch is empty after a reconnection, when
 * the history may be another one.
 */
export type NewsListener = (published: number, epoch: string) => void;

export class Watch {
  readonly #options: WatchOptions;
  readonly #channel: string;
  #listeners: NewsListener[] = [];
  #connection: Connection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<void> = Promise.resolve();
  /** Whether the notification connection listens. */
  #listens = false;
  #isTold = false;
  #untoldMs = -DISTRUST_MS;
  /** Published batches that may not be applied yet, in order. */
  #unapplied: { seq: number; readonly heardMs: number }[] = [];
  #published = 0;
  #epoch = '';
  #answeredMs = performance.now();
  /** A batch that was not published then. */
  #unpublished: { readonly seq: number; readonly sinceMs: number } | undefined;
  #trouble: string | undefined;
  #isRepairing = false;
  #isClosed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#channel = `plexus_${options.schema}`;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Time since the last poll that was answered. */
  get silentMs(): number {
    return performance.now() - this.#answeredMs;
  }

  onNews(listener: NewsListener): void {
    this.#listeners.push(listener);
    if (this.#published > 0) listener(this.#published, this.#epoch);
  }

  /** The connection of polls and notifications, for reads; undefined while there is none. */
  get connection(): Connection | undefined {
    return this.#connection?.isLost === false ? this.#connection : undefined;
  }

  /** The last known published batch. */
  get published(): number {
    return this.#published;
  }

  /**
   * Age of the first known batch after `seq`; 0 if there is none. Without contact at least the time since the
   * last poll that was answered.
   */
  lagMsAfter(seq: number): number {
    this.applied(seq);
    const [oldest] = this.#unapplied;
    const lagMs = oldest === undefined ? 0 : performance.now() - oldest.heardMs;
    return this.#trouble === undefined ? lagMs : Math.max(lagMs, this.silentMs);
  }

  /** Batches up to `seq` are applied here. */
  applied(seq: number): void {
    const first = this.#unapplied.findIndex((news) => news.seq > seq);
    this.#unapplied.splice(0, first < 0 ? this.#unapplied.length : first);
  }

  /** Resolves after the first attempt to connect and poll, whatever its outcome. */
  start(): Promise<void> {
    this.#asking = this.#ask().then(() => {
      this.#again();
    });
    return this.#asking;
  }

  /** On which other nodes hear of a publication; undefined without NOTIFY: they poll. */
  get channel(): string | undefined {
    return this.#listens ? this.#channel : undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#asking;
    await this.#connection?.close();
  }

  #again(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(
      () => {
        void this.start();
      },
      this.#isTold && performance.now() - this.#untoldMs > DISTRUST_MS ? ASK_MS : ASK_OFTEN_MS,
    );
  }

  async #ask(): Promise<void> {
    try {
      const wasConnected = this.#connection?.isLost === false;
      const connection = await this.#connected();
      const head = await this.#options.table.head(connection, 0);
      const { published } = head;
      this.#repair(connection, head);
      if (this.#trouble !== undefined)
        this.#options.log.info({ event: 'store.reached', host: connection.host }, 'database reachable again');
      this.#trouble = undefined;
      this.#answeredMs = performance.now();
      this.#epoch = wasConnected ? tokenEpoch(head) : '';
      // A database that lost its last writes is behind the known position.
      if (published < this.#published) {
        this.#published = published;
        this.#unapplied = [];
      }
      if (wasConnected && published > this.#published) this.#untoldMs = performance.now();
      this.#hear(published);
      // Repeats the notification for a listener that failed to read.
      this.#tell();
    } catch (error) {
      this.#connection?.abort();
      this.#connection = undefined;
      const reason = reasonOf(error);
      if (this.#trouble === undefined)
        this.#options.log.warn({ event: 'store.unreachable', reason }, 'database unreachable');
      this.#trouble = error instanceof DomainError ? reason : `the database cannot be reached: ${reason}`;
    }
  }

  async #connected(): Promise<Connection> {
    const { address, node, timelines } = this.#options;
    if (this.#connection?.isLost === false) {
      if (timelines.refusalOf(this.#connection.place) === undefined) return this.#connection;
      this.#connection.abort();
    }
    const connection = await Connection.open(address, `${node} watch`, {
      timelines,
      silenceMs: SILENCE_MS,
      isAway: () => true,
    });
    this.#connection = connection;
    this.#isTold = false;
    connection.onNotification((payload) => {
      this.#isTold = true;
      if (/^\d{1,15}$/.test(payload)) this.#hear(Number(payload));
    });
    try {
      await connection.query(`LISTEN ${this.#channel}`);
      this.#listens = true;
      // Notifies itself too: that shows whether notifications arrive.
      await connection.query('SELECT pg_notify($1, $2)', [this.#channel, String(this.#published)]);
    } catch {
      this.#listens = false;
    }
    return connection;
  }

  #hear(seq: number): void {
    if (seq <= this.#published) return;
    this.#published = seq;
    const last = this.#unapplied.at(-1);
    // Far behind, later batches count from the time of earlier ones.
    if (last !== undefined && this.#unapplied.length >= UNAPPLIED_MAX) last.seq = seq;
    else this.#unapplied.push({ seq, heardMs: performance.now() });
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener(this.#published, this.#epoch);
  }

  /** What a node that has ended left undone, by one attempt at a time. */
  #repair(connection: Connection, head: Head): void {
    const nowMs = performance.now();
    // While nodes write, the last batch is hardly ever published, but those before it are.
    if (head.published >= Math.min(this.#unpublished?.seq ?? 0, head.seq))
      this.#unpublished = head.seq > head.published ? { seq: head.seq, sinceMs: nowMs } : undefined;
    const isLate = nowMs - (this.#unpublished?.sinceMs ?? Infinity) >= UNPUBLISHED_MS;
    // Also without writes: a client may ask for a number that is lost.
    const hasMoved = this.#options.branches.hasMoved(connection, head);
    if ((!isLate && !hasMoved) || this.#isRepairing) return;
    this.#isRepairing = true;
    const repaired = this.#options.commits.ask((commits) => this.#publishLate(commits));
    void repaired.finally(() => {
      this.#isRepairing = false;
    });
  }

  /**
   * Takes the row lock, so that it does not overtake a writer that is about to publish; while another writer
   * has it, that one publishes. A commit is published once it is confirmed: its node may have ended before.
   */
  async #publishLate(connection: Connection): Promise<void> {
    const { table, branches, log } = this.#options;
    const locked = await table.lockHeadNow(connection);
    if (locked === undefined || (await branches.begin(connection, locked))) return;
    const { seq, published } = locked;
    const { id } = seq > published ? await table.head(connection, seq) : locked;
    await connection.query('ROLLBACK');
    if (seq <= published || id === undefined) return;
    await table.confirm(connection);
    await table.publish(connection, { seq, id }, this.channel);
    this.#unpublished = undefined;
    log.info({ event: 'store.published', seq }, 'published a commit of another node');
  }
}
