/**
 * A store whose log is in a database, for any number of equal nodes. Each node keeps a copy in a local store
 * and applies every batch to it after the commit.
 *
 * Invariants:
 * 1. A writer holds the row lock of `head` and has applied all earlier batches.
 * 2. The copy contains committed batches only, each under its number in the log.
 * 3. The outcome of a COMMIT without an answer is read back, never guessed, before the next append.
 */
import { once } from 'node:events';
import { BatchBuilder, BatchDropped, type StorageOptions, Store } from '#graph/storage';
import type {
  Appended,
  BackupOptions,
  Batch,
  Follower,
  Image,
  ImagePart,
  ScanOptions,
  SharedLog,
  SharedPosition,
  StorageStats,
  StoreDamage,
  StoredRecord,
  TakeOver,
} from '#graph/storage';
import { assert, DomainError } from '#platform/foundation';
import { BASE_BYTES_MIN, BaseKeeper } from './base-keeper.ts';
import type { BatchTable, Head } from './batch-table.ts';
import type { Connection } from './connection.ts';
import { foreignBatch, LocalCopy } from './local-copy.ts';
import { newEpoch } from './schema.ts';
import { SharedLink, type SharedLinkOptions } from './shared-link.ts';
import { failureOf, reasonOf, unavailable, unknownOutcome } from './sql-error.ts';
import { WriteRound } from './write-round.ts';

/** A writer further behind reads the log before it locks the head. */
const LAG_MAX = 1_000;

export interface SharedStoreOptions extends SharedLinkOptions {
  /** Directory of this node's copy. */
  readonly copy: StorageOptions;
  /**
   * A base is written when the log since the last base exceeds this size and the base's own. Default 64 MiB.
   */
  readonly baseBytesMin?: number;
  /** Called after each transaction with the number of its batches and bytes. */
  readonly onCommit?: ((batches: number, bytes: number) => void) | undefined;
}

interface SharedStoreParts extends Pick<SharedStoreOptions, 'onCommit'> {
  readonly link: SharedLink;
  readonly copy: LocalCopy;
  readonly bases: BaseKeeper;
}

export class SharedStore extends Store implements SharedLog {
  readonly shared = this;
  readonly #link: SharedLink;
  readonly #copy: LocalCopy;
  readonly #table: BatchTable;
  readonly #bases: BaseKeeper;
  readonly #onCommit: SharedStoreOptions['onCommit'];
  #follower: Follower | undefined;
  #round: WriteRound | undefined;
  #committing: Promise<void> | undefined;
  #isClosed = false;
  /** The follower's data is of another history than the copy, also if the replacement failed midway. */
  #mustReload = false;
  #lastMs = 0;
  #trouble: string | undefined;
  /** Of a COMMIT whose outcome is not known. */
  #doubt: DomainError | undefined;
  /** Of the last write. */
  #refusal: string | undefined;

  /**
   * Resolves when the copy has caught up with the log. Throws STORE_UNAVAILABLE, STORE_TOO_NEW,
   * STORE_CORRUPT, or STORE_LOCKED if another process uses the directory of the copy.
   */
  static async open(options: SharedStoreOptions): Promise<SharedStore> {
    const link = await SharedLink.open(options);
    try {
      const copy = await LocalCopy.open(options.copy);
      const { table, timelines } = link;
      const { bases } = link.source;
      const bytesMin = options.baseBytesMin ?? BASE_BYTES_MIN;
      const keeper = new BaseKeeper({ ...options, copy, link, table, bases, timelines, bytesMin });
      const store = new SharedStore({ link, copy, bases: keeper, onCommit: options.onCommit });
      await store.catchUp(() => Promise.resolve());
      store.#bases.start();
      return store;
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  private constructor({ link, copy, bases, onCommit }: SharedStoreParts) {
    super();
    this.#bases = bases;
    this.#onCommit = onCommit;
    this.#link = link;
    this.#copy = copy;
    this.#table = link.table;
  }

  get epoch(): string {
    return this.#link.epoch;
  }

  lastOf(epoch: string): number {
    return this.#link.lastOf(epoch);
  }

  get lastMs(): number {
    return this.#lastMs;
  }

  get seq(): number {
    return this.#round?.seq ?? this.#copy.seq;
  }

  get durableSeq(): number {
    return this.#copy.seq;
  }

  get poisoned(): DomainError | undefined {
    return this.#copy.storage.poisoned;
  }

  get trouble(): string | undefined {
    return this.#doubt?.message ?? this.#trouble ?? this.#refusal ?? this.#link.trouble;
  }

  get damage(): readonly StoreDamage[] {
    return this.#copy.storage.damage;
  }

  batch(): Batch {
    return new BatchBuilder();
  }

  append(batch: Batch, atMs: number): Appended {
    assert(this.#round !== undefined, 'expected a turn to append in');
    return this.#round.append(batch, atMs);
  }

  follow(follower: Follower): void {
    this.#follower = follower;
    this.#link.onNews((published, epoch) => {
      if (published !== this.#copy.seq || epoch !== this.epoch || this.#trouble !== undefined)
        follower.news();
    });
  }

  async turn(takeOver: TakeOver): Promise<void> {
    if (this.#round?.isFull === false) return;
    this.endTurn();
    while (this.#round === undefined) {
      await this.#withLink(async (connection) => {
        const head = await this.#table.lockHead(connection, this.#copy.seq);
        if (head.seq > this.#copy.seq) await this.#link.raise(head.seq);
        if (await this.#link.branches.begin(connection, head)) return;
        const isNear = this.#link.source.follows(this.#copy, head) && head.seq - this.#copy.seq <= LAG_MAX;
        // A long catch-up must not block other writers.
        if (!isNear) await connection.query('ROLLBACK');
        await this.#reach(connection, head, head.seq, takeOver);
        if (isNear) this.#round = new WriteRound(connection, head.seq);
      });
    }
  }

  endTurn(): void {
    const round = this.#round;
    if (round === undefined) return;
    this.#round = undefined;
    round.close();
    this.#committing = this.#end(round).finally(() => {
      this.#committing = undefined;
    });
  }

  async catchUp(takeOver: TakeOver): Promise<void> {
    // If its row lock was lost, other writers may have used the sequence numbers assigned here.
    this.endTurn();
    await this.#withLink(async (connection) => {
      const head = await this.#table.head(connection, this.#copy.seq);
      await this.#reach(connection, head, await this.#table.published(connection), takeOver);
    });
  }

  /** Not while the copy takes no batches: this node must not do for others what it cannot finish. */
  async hold(name: string, ms: number): Promise<boolean> {
    return this.poisoned === undefined && this.#link.hold(name, ms);
  }

  release(name: string): Promise<void> {
    return this.#link.release(name);
  }

  position(): SharedPosition {
    return this.#link.position(this.#copy.seq);
  }

  get(key: Uint8Array): Promise<StoredRecord | undefined> {
    return this.#copy.storage.get(key);
  }

  scan(prefix: Uint8Array, options?: ScanOptions): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    return this.#copy.storage.scan(prefix, options);
  }

  async saveImage(seq: number, parts: readonly ImagePart[]): Promise<void> {
    await this.#copy.synced();
    await this.#copy.storage.saveImage(seq, parts);
  }

  loadImage(): Promise<Image | undefined> {
    return this.#copy.storage.loadImage();
  }

  backup(targetDirectory: string): Promise<void> {
    return this.#copy.storage.backup(targetDirectory);
  }

  backupStream(options?: BackupOptions): AsyncGenerator<Uint8Array> {
    return this.#copy.storage.backupStream(options);
  }

  /** Writes a base if one is due; resolves to whether it did. */
  base(): Promise<boolean> {
    return this.#bases.keep();
  }

  stats(): StorageStats {
    return this.#copy.stats();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.endTurn();
    await this.#bases.stop();
    await this.#link.close(this.#committing);
    await this.#copy.close();
  }

  /**
   * Runs `work` with an idle connection, and again with a new one if it is lost. The connection is aborted
   * when the database does not answer: an uncommitted transaction is rolled back.
   */
  async #withLink(work: (connection: Connection) => Promise<void>): Promise<void> {
    let deadline = this.#link.deadline();
    for (let { seq } = this.#copy; ;) {
      if (this.#isClosed) throw unavailable('it is closed');
      await this.#settled(deadline);
      const connection = await this.#link.connection(deadline);
      try {
        await work(connection);
        return;
      } catch (error) {
        this.#link.lost(connection);
        if (error instanceof DomainError) {
          if (error.code === 'STORE_UNAVAILABLE') throw error;
          this.#trouble = error.message;
          throw unavailable(error.message, error);
        }
        const isStuck = deadline.aborted && this.#copy.seq === seq;
        if (isStuck || failureOf(error) === 'refused') throw unavailable(reasonOf(error), error);
        // A catch-up that made progress continues.
        if (deadline.aborted) deadline = this.#link.deadline();
        ({ seq } = this.#copy);
      }
    }
  }

  /** Waits for a pending commit. */
  async #settled(deadline: AbortSignal): Promise<void> {
    const committing = this.#committing;
    if (committing === undefined) return;
    if (!deadline.aborted) await Promise.race([committing, once(deadline, 'abort')]);
    if (this.#committing === committing)
      throw unavailable('outcome of the last writes unknown: the database does not answer');
  }

  /** Applies the batches up to `seq` to the copy. */
  async #reach(connection: Connection, found: Head, upTo: number, takeOver: TakeOver): Promise<void> {
    const { source } = this.#link;
    const head = await source.settled(connection, this.#copy, found);
    this.#lastMs = Math.max(this.#lastMs, head.atMs);
    if (!source.follows(this.#copy, head)) {
      this.#mustReload = true;
      // Until the memory is replaced, its sequence numbers belong to neither history.
      this.#link.epoch = newEpoch();
    }
    if (await source.bring(connection, this.#copy, head)) this.#mustReload = true;
    if (this.#mustReload) await this.#follower?.reload();
    this.#mustReload = false;
    await this.#link.enter(connection, head);
    for await (const batches of this.#table.read(connection, this.#copy.seq, upTo)) {
      await takeOver(batches.map(foreignBatch));
      this.#copy.add(batches, head.epoch);
      this.#link.applied(this.#copy.seq);
      // Lets other writers in.
      this.#refusal = undefined;
    }
    this.#trouble = undefined;
  }

  async #end(round: WriteRound): Promise<void> {
    const { connection, batches } = round;
    try {
      if (batches.length > 0) await this.#table.append(connection, batches);
    } catch (error) {
      this.#drop(round, error);
      return;
    }
    const known = this.#answerWhenLate(round);
    try {
      const keeper = await this.#committed(round);
      if (keeper !== undefined) await this.#keep(round, keeper);
    } catch (closed) {
      round.settled.reject(closed);
    } finally {
      known();
    }
  }

  /** The connection on which the round was committed; undefined if it was dropped. */
  async #committed(round: WriteRound): Promise<Connection | undefined> {
    const { connection, batches } = round;
    try {
      await connection.wait('COMMIT');
      return connection;
    } catch (error) {
      this.#link.lost(connection);
      const last = batches.at(-1);
      if (last === undefined) return undefined;
      const keeper = failureOf(error) === 'away' ? await this.#link.outcomeOf(last) : undefined;
      if (keeper === undefined) this.#drop(round, error);
      return keeper;
    }
  }

  /**
   * Answers the writers of a COMMIT whose outcome is not known after the usual time. From then on its batches
   * are another node's, so that all owners of records learn of them. Call the result once it is known.
   */
  #answerWhenLate(round: WriteRound): () => void {
    const deadline = this.#link.deadline();
    let isKnown = false;
    const answer = (): void => {
      if (isKnown) return;
      this.#doubt = unknownOutcome();
      round.isForeign = true;
      this.#follower?.discard(round.baseSeq);
      round.settled.reject(this.#doubt);
    };
    // After a pause of this process, an answer that has arrived meanwhile is read first.
    deadline.addEventListener('abort', () => setImmediate(answer));
    return () => {
      isKnown = true;
      if (!round.isForeign) return;
      this.#doubt = undefined;
      this.#follower?.news();
    };
  }

  async #keep(round: WriteRound, connection: Connection): Promise<void> {
    const { batches, settled } = round;
    const last = batches.at(-1);
    if (last === undefined) return;
    if (!round.isForeign) this.#copy.add(batches, this.#link.history);
    this.#link.applied(this.#copy.seq);
    this.#refusal = undefined;
    try {
      await this.#link.publish(connection, last.seq);
    } catch {
      // Whoever sees that it is late does so.
      this.#link.lost(connection);
    }
    if (round.isForeign) return;
    this.#onCommit?.(batches.length, round.bytes);
    settled.resolve();
  }

  /** No batch of the round was committed, and none will be. */
  #drop(round: WriteRound, error: unknown): void {
    this.#link.lost(round.connection);
    if (round.isForeign) return;
    this.#follower?.discard(round.baseSeq);
    if (failureOf(error) !== 'refused') {
      round.settled.reject(new BatchDropped());
      return;
    }
    const refused = unavailable(reasonOf(error), error);
    this.#refusal = refused.message;
    round.settled.reject(refused);
  }
}
