import type { StorageLog } from '#graph/storage';
import type { BaseEntry } from './base-table.ts';
import { Connection } from './connection.ts';
import type { LocalCopy } from './local-copy.ts';
import type { SharedLink } from './shared-link.ts';
import { reasonOf } from './sql-error.ts';
import type { StoreAddress } from './store-address.ts';

const ASK_MS = 30_000;
const LEASE = 'base';
/** The lease is renewed while the base is written, and ends with the node. */
const LEASE_MS = 10_000;
const RENEW_MS = 2_000;
/** A log below this size is read quickly at start and needs no base. */
export const BASE_BYTES_MIN = 64 * 1024 * 1024;

export interface BaseKeeperOptions {
  readonly address: StoreAddress;
  readonly node: string;
  readonly log: StorageLog;
  readonly copy: LocalCopy;
  readonly link: SharedLink;
  readonly bytesMin: number;
}

/** Writes a new base when the log has outgrown the last one, then trims the log to the base before. */
export class BaseKeeper {
  readonly #options: BaseKeeperOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: BaseKeeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.keep());
    }, ASK_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Resolves to whether a base was written. A failure is logged and retried later. */
  async keep(): Promise<boolean> {
    let connection: Connection | undefined;
    try {
      const { address, node, link } = this.#options;
      connection = await Connection.open(address, `${node} base`, { timelines: link.timelines });
      return await this.#keep(connection);
    } catch (error) {
      const fields = { event: 'store.base_failed', reason: reasonOf(error) };
      this.#options.log.warn(fields, 'base not written');
      return false;
    } finally {
      await connection?.close();
    }
  }

  async #keep(connection: Connection): Promise<boolean> {
    const { link, bytesMin } = this.#options;
    const { table, source } = link;
    const [last] = await source.bases.list(connection);
    const bytes = await table.bytesAfter(connection, last?.seq ?? 0);
    if (bytes < Math.max(bytesMin, last?.bytes ?? 0)) return false;
    if (!(await link.hold(LEASE, LEASE_MS))) return false;
    const renewal = setInterval(() => void link.hold(LEASE, LEASE_MS), RENEW_MS);
    try {
      return await this.#write(connection, last);
    } finally {
      clearInterval(renewal);
      // Also after a failure: the copy of another node may be intact.
      await link.release(LEASE);
    }
  }

  async #write(connection: Connection, last: BaseEntry | undefined): Promise<boolean> {
    const { copy, link } = this.#options;
    const { bases } = link.source;
    await copy.synced();
    const { seq, pieces } = copy.backup();
    if (seq <= (last?.seq ?? 0)) return false;
    await bases.write(connection, seq, pieces);
    if (last !== undefined) {
      await link.table.drop(connection, last.seq);
      await bases.dropBefore(connection, last.seq);
    }
    this.#options.log.info({ event: 'store.based', seq }, 'base written');
    return true;
  }
}
