/** What a node has of the database: a connection to write and read with, and one that hears of news. */
import type { SharedPosition, StorageLog } from '#graph/storage';
import { DomainError, pause } from '#platform/foundation';
import { BaseTable } from './base-table.ts';
import { BatchTable, type SharedBatch } from './batch-table.ts';
import { Connection, Unreachable } from './connection.ts';
import { CopySource } from './copy-source.ts';
import { LeaseTable } from './lease-table.ts';
import { hasSynchronousStandby, prepareSchema, requireDurable, requireRights } from './schema.ts';
import { reasonOf, unavailable } from './sql-error.ts';
import type { StoreAddress } from './store-address.ts';
import { Watch } from './watch.ts';

const RETRY_MS = 100;
/** Less than an open transaction may idle. */
const RAISE_MS = 4_000;
const START_PATIENCE_MS = 10_000;

export interface SharedLinkOptions {
  readonly address: StoreAddress;
  readonly schema: string;
  /** Names this node to the others, and in the database's list of connections. */
  readonly node: string;
  readonly log: StorageLog;
  /** So long a start waits for a host that takes writes. Default 10 s. */
  readonly startPatienceMs?: number;
}

export class SharedLink {
  readonly table: BatchTable;
  readonly source: CopySource;
  readonly leases: LeaseTable;
  /** Identifies the history, as it was seen last. */
  epoch = '';
  readonly #options: SharedLinkOptions;
  readonly #watch: Watch;
  #connection: Connection | undefined;
  #isStarted = false;
  #isClosed = false;

  /** Makes the schema when there is none. Throws STORE_UNAVAILABLE or STORE_TOO_NEW. */
  static async open(options: SharedLinkOptions): Promise<SharedLink> {
    const link = new SharedLink(options);
    try {
      const connection = await link.connection(
        AbortSignal.timeout(options.startPatienceMs ?? START_PATIENCE_MS),
      );
      await requireDurable(connection);
      await prepareSchema(connection, options.schema);
      await requireRights(connection, options.schema);
      if ((await hasSynchronousStandby(connection)) === false) {
        const fields = { event: 'store.no_standby', host: connection.host };
        options.log.warn(
          fields,
          'the database has no synchronous standby: its loss may lose the last writes',
        );
      }
      link.epoch = (await link.table.head(connection, 0)).epoch;
      link.#isStarted = true;
      link.#watch.start();
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
    this.leases = new LeaseTable(options.schema);
    this.#watch = new Watch({ ...options, table: this.table });
  }

  /** Why the database cannot be reached now. */
  get trouble(): string | undefined {
    return this.#watch.trouble;
  }

  /** Calls `listener` with the number up to which batches are published: when it grows, and now and then. */
  onNews(listener: (seq: number) => void): void {
    this.#watch.onNews(listener);
  }

  /** One on which nothing is under way. Throws STORE_UNAVAILABLE when there is none until the deadline. */
  async connection(deadline: AbortSignal): Promise<Connection> {
    while (!this.#isClosed) {
      if (this.#connection?.isLost === false) return this.#connection;
      try {
        const connection = await Connection.open(this.#options.address, this.#options.node);
        if (this.#isStarted) await this.#confirm(connection, deadline);
        this.#connection = connection;
        return connection;
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        // Later, a password may just have been changed there, and not here.
        if (deadline.aborted || (error.isFinal && !this.#isStarted))
          throw unavailable(`the database cannot be reached: ${error.message}`, error);
        await pause(RETRY_MS);
      }
    }
    throw unavailable('it is closed');
  }

  async #confirm(connection: Connection, deadline: AbortSignal): Promise<void> {
    const giveUp = (): void => {
      connection.abort();
    };
    deadline.addEventListener('abort', giveUp);
    try {
      await this.table.confirm(connection);
    } catch (error) {
      connection.abort();
      throw new Unreachable([{ host: connection.host, reason: reasonOf(error) }]);
    } finally {
      deadline.removeEventListener('abort', giveUp);
    }
  }

  /** A connection on which something failed is not used again: what is open there is rolled back. */
  lost(connection: Connection): void {
    connection.abort();
    if (this.#connection === connection) this.#connection = undefined;
  }

  /** Gives false while nobody can tell. */
  async hold(name: string, ms: number): Promise<boolean> {
    const { node } = this.#options;
    return (await this.#watch.ask((connection) => this.leases.hold(connection, name, node, ms))) ?? false;
  }

  async release(name: string): Promise<void> {
    await this.#watch.ask((connection) => this.leases.release(connection, name, this.#options.node));
  }

  /** As seen by who has all up to a batch. */
  position(seq: number): SharedPosition {
    const { published } = this.#watch;
    return { node: this.#options.node, published, lagMs: this.#watch.lagMsAfter(seq) };
  }

  /**
   * Publishes what another node has committed, for whoever holds the row lock: then it is kept as well as the
   * database keeps anything. Throws when that cannot be told.
   */
  async raise(seq: number): Promise<void> {
    const published = this.#watch.ask(async (connection) => {
      await this.table.publish(connection, seq);
      return true;
    });
    const answered = new AbortController();
    const isRaised = await Promise.race([published, pause(RAISE_MS, answered.signal)]);
    answered.abort();
    if (isRaised !== true) throw new Unreachable([{ host: 'database', reason: 'it keeps nothing now' }]);
  }

  async publish(connection: Connection, seq: number): Promise<void> {
    await this.table.publish(connection, seq);
    await this.#watch.tell(connection, seq);
  }

  /**
   * Whether a batch whose COMMIT had no answer was kept: then the connection that says so. Nobody can keep it
   * any more who has not, once the row lock was free. Waits as long as it takes, until the link is closed.
   */
  async outcomeOf(batch: SharedBatch): Promise<Connection | undefined> {
    for (;;) {
      const connection = await this.connection(NEVER);
      try {
        const { id } = await this.table.lockHead(connection, batch.seq);
        await connection.query('COMMIT');
        return id === batch.id ? connection : undefined;
      } catch {
        this.lost(connection);
        await pause(RETRY_MS);
      }
    }
  }

  async close(committing?: Promise<void>): Promise<void> {
    this.#isClosed = true;
    await committing?.catch(() => undefined);
    await this.#watch.close();
    await this.#connection?.close();
  }
}

const NEVER = new AbortController().signal;
