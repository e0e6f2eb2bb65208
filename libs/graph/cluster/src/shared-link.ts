/** A node's connections to the database: for writes, for reads and notifications, for small transactions. */
import type { HeldLease, SharedPosition, StorageLog } from '#graph/storage';
import { DomainError, pause } from '#platform/foundation';
import { BaseTable } from './base-table.ts';
import { BatchTable, type Head } from './batch-table.ts';
import { Branches, tokenEpoch } from './branches.ts';
import { CommitLine } from './commit-line.ts';
import { Connection, Unreachable } from './connection.ts';
import { CopySource } from './copy-source.ts';
import { clockAheadMs } from './database.ts';
import { LeaseTable } from './lease-table.ts';
import type { LocalCopy } from './local-copy.ts';
import {
  hasSynchronousStandby,
  prepareSchema,
  quoted,
  requireDurable,
  requireRights,
  settingOf,
} from './schema.ts';
import { StatementKeeping } from './prepared-statements.ts';
import { Publication } from './publication.ts';
import type { BatchName, SharedBatch } from './shared-batch.ts';
import { reasonOf, unavailable } from './sql-error.ts';
import type { StoreAddress } from './store-address.ts';
import { Timelines } from './timelines.ts';
import { type NewsListener, Watch } from './watch.ts';

const RETRY_MS = 100;
/** How long a catch-up, or the answer to a statement, waits for a database that does not answer. */
const PATIENCE_MS = 8_000;
const LOCK_TIMEOUT_MS = 1_000;
const START_PATIENCE_MS = 10_000;
/** A larger difference of clocks is reported. */
const CLOCK_MS_MAX = 60_000;

export interface SharedLinkOptions {
  readonly address: StoreAddress;
  readonly schema: string;
  /** Identifies this node to the other nodes and in the database's list of connections. */
  readonly node: string;
  readonly log: StorageLog;
  /** How long a start waits for a host that accepts writes. Default 10 s. */
  readonly startPatienceMs?: number;
}

export class SharedLink {
  readonly table: BatchTable;
  readonly source: CopySource;
  readonly leases: LeaseTable;
  readonly timelines: Timelines;
  readonly branches: Branches;
  /** Runs the transactions of leases and confirmations. */
  readonly commits: CommitLine;
  readonly publication = new Publication((last) => this.#publish(last));
  /** Epoch of the history that was read last. */
  history = '';
  /** The epoch in tokens. */
  epoch = '';
  /** The last batch of each earlier branch. */
  #ended: ReadonlyMap<string, number> = new Map();
  readonly #options: SharedLinkOptions;
  readonly #watch: Watch;
  readonly #keeping: StatementKeeping;
  #connection: Connection | undefined;
  /** Why there is no connection for writes. */
  refusal: string | undefined;
  #isStarted = false;
  #isClosed = false;

  /** Creates the schema if it is missing. Throws STORE_UNAVAILABLE or STORE_TOO_NEW. */
  static async open(options: SharedLinkOptions): Promise<SharedLink> {
    const link = new SharedLink(options);
    try {
      const connection = await link.connection(
        AbortSignal.timeout(options.startPatienceMs ?? START_PATIENCE_MS),
      );
      await requireDurable(connection);
      await prepareSchema(connection, options.schema);
      await requireRights(connection, options.schema);
      await warnOfLosses(connection, options.log);
      await warnOfClock(connection, options.log);
      await link.enter(connection, await link.table.head(connection, 0));
      link.#isStarted = true;
      await link.#watch.start();
      return link;
    } catch (error) {
      await link.close();
      if (error instanceof DomainError) throw error;
      throw unavailable(reasonOf(error), error);
    }
  }

  private constructor(options: SharedLinkOptions) {
    this.#options = options;
    this.table = new BatchTable(options.schema);
    this.source = new CopySource({
      table: this.table,
      bases: new BaseTable(options.schema),
      log: options.log,
    });
    this.branches = new Branches(options.schema, options.log);
    this.leases = new LeaseTable(options.schema);
    this.#keeping = new StatementKeeping(() => {
      const fields = { event: 'store.not_prepared' };
      options.log.info(fields, 'the database keeps no prepared statements; writes take a little longer');
    });
    this.timelines = new Timelines(quoted(options.schema));
    this.commits = new CommitLine(() => this.#openBeside());
    this.#watch = new Watch({
      ...options,
      commits: this.commits,
      table: this.table,
      timelines: this.timelines,
      branches: this.branches,
    });
  }

  /** Takes over the epoch of a head, before its batches are applied. */
  async enter(connection: Connection, head: Head): Promise<void> {
    const epoch = tokenEpoch(head);
    if (epoch !== this.epoch) this.#ended = await this.branches.ended(connection, head);
    this.epoch = epoch;
    this.history = head.epoch;
  }

  /** Up to which batch an epoch belongs to this history; -1 for another one. */
  lastOf(epoch: string): number {
    return epoch === this.epoch ? Infinity : (this.#ended.get(epoch) ?? -1);
  }

  /** The branch of a batch: each begins after the last batch of the one before. */
  epochOf(seq: number): string {
    let found = { epoch: this.epoch, last: Infinity };
    for (const [epoch, last] of this.#ended) {
      if (last < seq || last > found.last) continue;
      // A branch without batches ends where the one before it has ended.
      if (last < found.last || epoch < found.epoch) found = { epoch, last };
    }
    return found.epoch;
  }

  /** Why the database is unreachable now. */
  get trouble(): string | undefined {
    return this.#watch.trouble;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Calls `listener` with the published position and its epoch, when it grows and periodically. */
  onNews(listener: NewsListener): void {
    this.#watch.onNews(listener);
  }

  /** Whether what was heard of is not the state of a node whose last durable batch that is. */
  isNews(published: number, epoch: string, durableSeq: number): boolean {
    // What this node has not published yet may be durable here.
    const isLost = published < durableSeq && !this.publication.isPending;
    return published > durableSeq || isLost || epoch !== this.epoch;
  }

  /** The last known published batch. */
  get published(): number {
    return this.#watch.published;
  }

  /** Ends the patience of a catch-up; without contact it began with the last answer. */
  deadline(): AbortSignal {
    return AbortSignal.timeout(Math.max(0, Math.ceil(PATIENCE_MS - this.awayMs)));
  }

  /** For how long the database has not been reachable; 0 while it is. */
  get awayMs(): number {
    return this.trouble === undefined ? 0 : this.#watch.silentMs;
  }

  /** The idle connection for writes. Throws STORE_UNAVAILABLE if none is available before the end. */
  async connection(end: AbortSignal): Promise<Connection> {
    while (!this.#isClosed) {
      if (this.#connection?.isLost === false) {
        if (this.timelines.refusalOf(this.#connection.place) === undefined) return this.#connection;
        // The other connection has found a newer primary.
        this.lost(this.#connection);
      }
      try {
        const connection = await this.#open(this.#options.node);
        this.#connection = connection;
        this.refusal = undefined;
        return connection;
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        this.refusal = `the database cannot be reached: ${error.message}`;
        // After the start, a refused login may be a password change in progress.
        if (end.aborted || (error.isFinal && !this.#isStarted))
          throw unavailable(`the database cannot be reached: ${error.message}`, error);
        await pause(RETRY_MS, end);
      }
    }
    throw unavailable('it is closed');
  }

  /** The connection for reads, which no write delays. Throws STORE_UNAVAILABLE after the deadline. */
  async reading(deadline: AbortSignal): Promise<Connection> {
    for (;;) {
      const { connection } = this.#watch;
      if (connection !== undefined) return connection;
      if (deadline.aborted || this.#isClosed)
        throw unavailable(this.trouble ?? 'the database cannot be reached');
      await pause(RETRY_MS, deadline);
    }
  }

  /** While the database is away, one connection tries to reach it, and the others follow. */
  async #open(name: string, lockTimeoutMs?: number): Promise<Connection> {
    if (this.#isStarted && this.trouble !== undefined)
      throw new Unreachable([{ host: 'database', reason: this.trouble }]);
    const { address } = this.#options;
    return Connection.open(address, name, {
      timelines: this.timelines,
      silenceMs: PATIENCE_MS,
      isAway: () => this.trouble !== undefined,
      keeping: this.#keeping,
      ...(lockTimeoutMs !== undefined && { lockTimeoutMs }),
    });
  }

  #openBeside(): Promise<Connection> {
    return this.#open(`${this.#options.node} commits`, LOCK_TIMEOUT_MS);
  }

  /** Discards a connection after a failure; its open transaction is rolled back. */
  lost(connection: Connection): void {
    connection.abort();
    if (this.#connection === connection) this.#connection = undefined;
  }

  /** The same for one on which the server may work for a long time: it is asked to end that. */
  giveUp(connection: Connection): void {
    this.lost(connection);
    void connection.giveUp();
  }

  /** Returns false while it is unknown. */
  async hold(name: string, ms: number): Promise<boolean> {
    const { node } = this.#options;
    return (await this.commits.ask((connection) => this.leases.hold(connection, name, node, ms))) ?? false;
  }

  async release(name: string): Promise<void> {
    await this.commits.ask((connection) => this.leases.release(connection, name, this.#options.node));
  }

  /** Undefined while they are unknown. */
  heldLeases(): Promise<readonly HeldLease[] | undefined> {
    return this.commits.ask((connection) => this.leases.held(connection));
  }

  /** Batches up to `seq` are in the copy. */
  applied(seq: number): void {
    this.#watch.applied(seq);
  }

  /** The state for a reader that has all batches up to `seq`. */
  position(seq: number): SharedPosition {
    const { published } = this.#watch;
    const lagMs = this.#watch.lagMsAfter(seq);
    const behindMs = this.trouble === undefined ? lagMs : 0;
    return { node: this.#options.node, published, lagMs, behindMs };
  }

  /**
   * Resolves when all of a copy is as durable as any commit: a node that was killed may have taken over a
   * batch that no standby has. A copy for which this cannot be determined is emptied.
   */
  async confirm(copy: LocalCopy): Promise<void> {
    if (copy.seq <= this.#watch.published) return;
    if (!(await this.#areConfirmed())) await copy.clear();
  }

  /**
   * The head with all its batches as published ones: an acknowledged batch may not be published yet. Those up
   * to `known` are as durable as any commit. Throws STORE_UNAVAILABLE if that is not known of all.
   */
  async withCommitted(head: Head, known: number): Promise<Head> {
    if (head.seq <= Math.max(head.published, known)) return head;
    if (await this.#areConfirmed()) return { ...head, published: head.seq };
    throw unavailable('the database confirms no commit');
  }

  /** Whether all that is committed is as durable as any commit. */
  async #areConfirmed(): Promise<boolean> {
    const isConfirmed = await this.commits.ask(async (connection) => {
      await this.table.confirm(connection);
      return true;
    });
    return isConfirmed === true;
  }

  /** Whoever sees that a publication is missing makes up for it. */
  async #publish(last: BatchName): Promise<void> {
    await this.commits.ask((connection) => this.table.publish(connection, last, this.#watch.channel));
  }

  /**
   * Resolves the outcome of a COMMIT without an answer. Once the row lock is free, it is final. Waits until
   * the end.
   */
  async isKept(batch: SharedBatch, end: AbortSignal): Promise<boolean> {
    for (;;) {
      const connection = await this.connection(end);
      try {
        const { id } = await this.table.lockHead(connection, batch.seq);
        await connection.query('ROLLBACK');
        if (id !== batch.id) return false;
        await this.table.confirm(connection);
        return true;
      } catch {
        this.lost(connection);
        end.throwIfAborted();
        await pause(RETRY_MS, end);
      }
    }
  }

  async close(committing?: Promise<void>): Promise<void> {
    this.#isClosed = true;
    await committing?.catch(() => undefined);
    await this.publication.ended();
    await this.#watch.close();
    await this.commits.close();
    await this.#connection?.close();
  }
}

/** Settings under which a failure of the database's machine loses acknowledged writes. */
async function warnOfLosses(connection: Connection, log: StorageLog): Promise<void> {
  const { host } = connection;
  if ((await hasSynchronousStandby(connection)) === false) {
    const fields = { event: 'store.no_standby', host };
    log.warn(fields, 'no synchronous standby: losing the database may lose the last writes');
  }
  if ((await settingOf(connection, 'fsync')) === 'off') {
    const fields = { event: 'store.no_fsync', host };
    log.warn(fields, 'fsync is off: a crash of the machine of the database may lose the store');
  }
}

/** Times never go back, so that a clock which is ahead ends sessions and retention early on all nodes. */
async function warnOfClock(connection: Connection, log: StorageLog): Promise<void> {
  const aheadMs = -(await clockAheadMs(connection));
  if (Math.abs(aheadMs) < CLOCK_MS_MAX) return;
  const fields = { event: 'store.clock', host: connection.host, ahead_seconds: Math.round(aheadMs / 1_000) };
  log.warn(fields, 'the clock of this node differs from that of the database');
}
