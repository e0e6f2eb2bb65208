/**
 * Hears that batches were published: by NOTIFY where it arrives, and by asking in any case, the more often
 * where it does not. Publishes what a node committed and could not publish before it ended.
 */
import type { StorageLog } from '#graph/storage';
import type { BatchTable } from './batch-table.ts';
import { Connection } from './connection.ts';
import { reasonOf } from './sql-error.ts';
import type { StoreAddress } from './store-address.ts';

const ASK_MS = 500;
/** Where nobody tells. */
const ASK_OFTEN_MS = 50;
/** Poolers and some engines take LISTEN, and tell nothing; who was not told trusts it no sooner. */
const DISTRUST_MS = 60_000;
/** So long a committed batch may stay unpublished. */
const UNPUBLISHED_MS = 1_000;

export interface WatchOptions {
  readonly address: StoreAddress;
  readonly schema: string;
  readonly node: string;
  readonly log: StorageLog;
  readonly table: BatchTable;
}

export class Watch {
  readonly #options: WatchOptions;
  readonly #channel: string;
  #listeners: ((seq: number) => void)[] = [];
  #connection: Connection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<void> = Promise.resolve();
  /** Of the connection. */
  #listens = false;
  #isTold = false;
  #untoldMs = -DISTRUST_MS;
  #lag: { readonly sinceMs: number } | undefined;
  #published = 0;
  #unpublishedSinceMs: number | undefined;
  #trouble: string | undefined;
  #isClosed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#channel = `plexus_${options.schema}`;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  onNews(listener: (seq: number) => void): void {
    this.#listeners.push(listener);
    if (this.#published > 0) listener(this.#published);
  }

  /** Runs `work` on the connection on which news is heard; gives undefined while there is none. */
  async ask<T>(work: (connection: Connection) => Promise<T>): Promise<T | undefined> {
    const connection = this.#connection;
    if (connection === undefined || connection.isLost) return undefined;
    try {
      return await work(connection);
    } catch {
      connection.abort();
      return undefined;
    }
  }

  /** The last batch that was heard of. */
  get published(): number {
    return this.#published;
  }

  /** How long ago the first batch after one was heard of; 0 when none was. */
  lagMsAfter(seq: number): number {
    if (seq >= this.#published) this.#lag = undefined;
    return this.#lag === undefined ? 0 : performance.now() - this.#lag.sinceMs;
  }

  start(): void {
    this.#asking = this.#ask().then(() => {
      this.#again();
    });
  }

  /** Tells the other nodes. Where the database cannot, they ask. */
  async tell(connection: Connection, seq: number): Promise<void> {
    if (this.#listens) await connection.query('SELECT pg_notify($1, $2)', [this.#channel, String(seq)]);
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
        this.start();
      },
      this.#isTold && performance.now() - this.#untoldMs > DISTRUST_MS ? ASK_MS : ASK_OFTEN_MS,
    );
  }

  async #ask(): Promise<void> {
    try {
      const wasConnected = this.#connection?.isLost === false;
      const connection = await this.#connected();
      const published = await this.#options.table.published(connection);
      const { seq } = await this.#options.table.head(connection, 0);
      await this.#publishWhenLate(connection, published, seq);
      if (this.#trouble !== undefined)
        this.#options.log.info(
          { event: 'store.reached', host: connection.host },
          'the database answers again',
        );
      this.#trouble = undefined;
      // A database that has lost its last writes is behind what was heard of it.
      if (published < this.#published) this.#published = published;
      if (wasConnected && published > this.#published) this.#untoldMs = performance.now();
      this.#hear(published);
      // Who could not read what it was told of is told again.
      this.#tell();
    } catch (error) {
      this.#connection?.abort();
      this.#connection = undefined;
      const reason = reasonOf(error);
      if (this.#trouble === undefined)
        this.#options.log.warn({ event: 'store.unreachable', reason }, 'the database cannot be reached');
      this.#trouble = `the database cannot be reached: ${reason}`;
    }
  }

  async #connected(): Promise<Connection> {
    if (this.#connection?.isLost === false) return this.#connection;
    const connection = await Connection.open(this.#options.address, `${this.#options.node} watch`);
    this.#connection = connection;
    this.#isTold = false;
    connection.onNotification((payload) => {
      this.#isTold = true;
      if (/^\d{1,15}$/.test(payload)) this.#hear(Number(payload));
    });
    try {
      await connection.query(`LISTEN ${this.#channel}`);
      this.#listens = true;
      // To itself as well: then it knows that it is told.
      await this.tell(connection, this.#published);
    } catch {
      this.#listens = false;
    }
    return connection;
  }

  #hear(seq: number): void {
    if (seq <= this.#published) return;
    this.#published = seq;
    this.#lag ??= { sinceMs: performance.now() };
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener(this.#published);
  }

  /** Under the row lock: whoever is about to publish is not overtaken. */
  async #publishWhenLate(connection: Connection, published: number, head: number): Promise<void> {
    if (head <= published) {
      this.#unpublishedSinceMs = undefined;
      return;
    }
    this.#unpublishedSinceMs ??= performance.now();
    if (performance.now() - this.#unpublishedSinceMs < UNPUBLISHED_MS) return;
    const { seq } = await this.#options.table.lockHead(connection, 0);
    await this.#options.table.publish(connection, seq);
    await connection.query('COMMIT');
    this.#unpublishedSinceMs = undefined;
    this.#options.log.info({ event: 'store.published', seq }, 'published what another node had committed');
  }
}
