import type { StorageLog } from '#graph/storage';
import { DomainError, pause } from '#platform/foundation';
import type { BaseEntry } from './base-table.ts';
import { Connection } from './connection.ts';
import type { LocalCopy } from './local-copy.ts';
import type { SharedLink } from './shared-link.ts';
import { reasonOf, unavailable } from './sql-error.ts';
import type { StoreAddress } from './store-address.ts';

const ASK_MS = 30_000;
const LEASE = 'base';
/** The lease is renewed while the base is written, and ends with the node. */
const LEASE_MS = 10_000;
const RENEW_MS = 2_000;
const RETRY_MS = 100;
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
  #isStopped = false;

  constructor(options: BaseKeeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.keep());
    }, ASK_MS).unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Resolves to whether a base was written. A failure is logged and retried later. */
  async keep(): Promise<boolean> {
    try {
      return await this.#connected((connection) => this.#keep(connection));
    } catch (error) {
      const fields = { event: 'store.base_failed', reason: reasonOf(error) };
      this.#options.log.warn(fields, 'base not written');
      return false;
    }
  }

  /**
   * Writes a base of the copy, which is erased up to `upTo` or later, then deletes the batches up to there,
   * and all other bases. Waits for a base that another node writes. Throws STORE_UNAVAILABLE.
   */
  erase(upTo: number): Promise<void> {
    const erased = this.#running.then(() => this.#eraseNow(upTo));
    this.#running = erased.catch(() => undefined);
    return erased;
  }

  async #eraseNow(upTo: number): Promise<void> {
    try {
      await this.#connected(async (connection) => {
        await this.#held(() => this.#options.link.hold(LEASE, LEASE_MS));
        await this.#underLease(() => this.#erase(connection, upTo));
      });
    } catch (error) {
      throw error instanceof DomainError ? error : unavailable(reasonOf(error), error);
    }
  }

  async #erase(connection: Connection, upTo: number): Promise<void> {
    const { copy, link, log } = this.#options;
    const { bases } = link.source;
    const [last] = await bases.list(connection);
    // The batch of the base stays, for nodes that go on from there.
    const least = Math.max(upTo + 1, last?.seq ?? 0);
    await this.#held(async () => {
      await copy.synced();
      return copy.storage.durableSeq >= least;
    });
    let seq = last?.seq ?? 0;
    if (last === undefined || last.erased < upTo) {
      const { erased } = copy;
      if (erased < upTo) throw unavailable('the copy of this node still has what is to be erased');
      const backup = copy.backup();
      await bases.write(connection, { ...backup, erased });
      ({ seq } = backup);
    }
    await bases.alone(connection, async () => {
      const left = await bases.list(connection);
      // Without the lease, another node may have erased more meanwhile, and deleted this base.
      if (!left.some((base) => base.seq === seq)) throw unavailable('another node has deleted the base');
      await link.table.drop(connection, upTo);
      await bases.keepOnly(connection, seq);
    });
    log.info({ event: 'store.erased', seq, upTo }, 'former batches and bases deleted');
    await link.table.vacuum(connection).catch((error: unknown) => {
      const fields = { event: 'store.not_vacuumed', reason: reasonOf(error) };
      log.warn(fields, 'the database frees the space of what was deleted later');
    });
  }

  /** Resolves when `isReady`; throws STORE_UNAVAILABLE when it is stopped. */
  async #held(isReady: () => Promise<boolean>): Promise<void> {
    while (!(await isReady())) {
      if (this.#isStopped) throw unavailable('it is closed');
      await pause(RETRY_MS);
    }
  }

  /** Runs `work` on a connection of its own. */
  async #connected<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const { address, node, link } = this.#options;
    const connection = await Connection.open(address, `${node} base`, { timelines: link.timelines });
    try {
      return await work(connection);
    } finally {
      await connection.close();
    }
  }

  async #keep(connection: Connection): Promise<boolean> {
    const { link, copy, bytesMin } = this.#options;
    const { table, source } = link;
    const [last] = await source.bases.list(connection);
    const bytes = await table.bytesAfter(connection, last?.seq ?? 0);
    if (bytes < Math.max(bytesMin, last?.bytes ?? 0)) return false;
    if (copy.erased < (last?.erased ?? 0)) return false;
    if (!(await link.hold(LEASE, LEASE_MS))) return false;
    return this.#underLease(() => this.#write(connection, last));
  }

  async #underLease<T>(work: () => Promise<T>): Promise<T> {
    const { link } = this.#options;
    const renewal = setInterval(() => void link.hold(LEASE, LEASE_MS), RENEW_MS);
    try {
      return await work();
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
    const { erased } = copy;
    const { seq, pieces } = copy.backup();
    if (seq <= (last?.seq ?? 0)) return false;
    const entry = await bases.writeParts(connection, seq, pieces);
    // Without the lease, another node may have erased meanwhile what is in this copy still.
    const [now] = await bases.list(connection);
    if (erased < (now?.erased ?? 0)) {
      await bases.dropBefore(connection, seq + 1, now?.seq);
      return false;
    }
    await bases.finish(connection, { ...entry, erased });
    if (last !== undefined) {
      await link.table.drop(connection, last.seq);
      await bases.dropBefore(connection, last.seq);
    }
    this.#options.log.info({ event: 'store.based', seq }, 'base written');
    return true;
  }
}
