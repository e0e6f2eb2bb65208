/**
 * A store whose log is in a database, for any number of equal nodes. Each node keeps a copy in a local store
 * and applies every batch to it after the commit.
 *
 * Invariants:
 * 1. A writer holds the row lock of `head` and has applied all earlier batches. Its COMMIT frees the lock
 *    before it is durable; its writers are answered when it is.
 * 2. The copy contains committed batches only, each under its number in the log. One of another node is seen
 *    by readers, and answers depend on it, once its publication or a later COMMIT confirms it (ADR 0380).
 * 3. The outcome of a COMMIT without an answer is read back, never guessed, before the next append.
 */
import { BatchBuilder, Store } from '#graph/storage';
import type {
  Appended,
  BackupOptions,
  Batch,
  CatchUpTo,
  Follower,
  HeldLease,
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
import { assert, DomainError, pause } from '#platform/foundation';
import { BASE_BYTES_MIN, BaseKeeper } from './base-keeper.ts';
import type { BatchTable, Head, HeadWithNews } from './batch-table.ts';
import type { Connection } from './connection.ts';
import { headAt, HeadLock, type Locked } from './head-lock.ts';
import { foreignBatch, LocalCopy } from './local-copy.ts';
import { inTime, RoundCommits } from './round-commits.ts';
import { newEpoch } from './schema.ts';
import type { SharedBatch } from './shared-batch.ts';
import { SharedLink } from './shared-link.ts';
import type { SharedStoreOptions, SharedStoreParts } from './shared-store-options.ts';
import { reasonOf, throwUnlessLost, unavailable } from './sql-error.ts';
import { WriteRound } from './write-round.ts';

const RETRY_MS = 100;
/** Of a writer, until its work begins; longer than the wait for the row lock, which names its reason. */
const PATIENCE_MS = 6_500;
/** A turn that does not come within this time is not waited for by readers; two nodes take four delays. */
const TURN_MS = 250;
/** A writer further behind reads the log before it locks the head. */
const LAG_MAX = 1_000;

export class SharedStore extends Store implements SharedLog {
  readonly shared = this;
  readonly patienceMs = PATIENCE_MS;
  readonly #link: SharedLink;
  readonly #copy: LocalCopy;
  readonly #table: BatchTable;
  readonly #bases: BaseKeeper;
  #follower: Follower | undefined;
  readonly #lock: HeadLock;
  readonly #commits: RoundCommits;
  #round: WriteRound | undefined;
  /** The row lock is held, and earlier batches are taken over. */
  #isBeginning = false;
  #isClosed = false;
  /** The follower's data is of another history than the copy, also if the replacement failed midway. */
  #mustReload = false;
  #lastMs = 0;
  #trouble: string | undefined;

  /**
   * Resolves when the copy has caught up with the log. Throws STORE_UNAVAILABLE, STORE_TOO_NEW,
   * STORE_CORRUPT, or STORE_LOCKED if another process uses the directory of the copy.
   */
  static async open(options: SharedStoreOptions): Promise<SharedStore> {
    const link = await SharedLink.open(options);
    try {
      const copy = await LocalCopy.open(options.copy);
      const bytesMin = options.baseBytesMin ?? BASE_BYTES_MIN;
      const keeper = new BaseKeeper({ ...options, copy, link, bytesMin });
      const store = new SharedStore({ link, copy, bases: keeper, onCommit: options.onCommit });
      await link.confirm(copy);
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
    this.#link = link;
    this.#copy = copy;
    this.#table = link.table;
    this.#commits = new RoundCommits({ link, copy, onCommit, follower: () => this.#follower });
    this.#lock = new HeadLock({ link, seq: () => copy.seq, settled: () => this.#commits.ready() });
  }

  get epoch(): string {
    return this.#link.epoch;
  }

  lastOf(epoch: string): number {
    return this.#link.lastOf(epoch);
  }

  readonly epochOf = (seq: number): string => this.#link.epochOf(seq);

  get lastMs(): number {
    return this.#lastMs;
  }

  get seq(): number {
    return this.#round?.seq ?? this.#copy.seq;
  }

  get durableSeq(): number {
    return this.#copy.confirmed.seq;
  }

  get settled(): Promise<void> {
    return (this.#round ?? this.#commits.pending)?.settled.promise ?? Promise.resolve();
  }

  get poisoned(): DomainError | undefined {
    return this.#copy.storage.poisoned;
  }

  get trouble(): string | undefined {
    const { doubt, refusal } = this.#commits;
    const delay = this.#commits.delay ?? this.#lock.delay ?? this.#link.commits.delay;
    return doubt?.message ?? this.#trouble ?? refusal ?? this.#link.trouble ?? delay;
  }

  get isFollowing(): boolean {
    return !this.#mustReload;
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
      const waits = [this.#lock.waitingMs, this.#commits.waitingMs];
      const isWaiting = waits.some((ms) => ms > 0 && ms < TURN_MS);
      // The turn brings what is new, or its end tells of it; later news comes with a poll.
      if (isWaiting || this.#isBeginning || this.#round !== undefined) return;
      const isNew = this.#link.isNews(published, epoch, this.durableSeq);
      if (isNew || this.#trouble !== undefined) follower.news();
    });
  }

  async admit(sinceMs: number): Promise<void> {
    if (this.#isClosed) throw unavailable('it is closed');
    // The row lock of a turn that begins is taken already; asking for it again would seem to succeed.
    if (this.#round === undefined && !this.#isBeginning) await this.#lock.acquired(sinceMs);
  }

  async turn(takeOver: TakeOver, sinceMs: number): Promise<boolean> {
    if (this.#round !== undefined) {
      if (!this.#round.isFull) {
        this.#round.join(sinceMs);
        return true;
      }
      // Here and not on admission: then the writer before may still apply its batch.
      this.endTurn();
      return false;
    }
    const locked = this.#lock.take();
    if (locked === undefined) return false;
    this.#isBeginning = true;
    try {
      return await this.#beginTurn(locked, takeOver, sinceMs);
    } catch (error) {
      this.#link.lost(locked.connection);
      throwUnlessLost(this.#noted(error));
      return false;
    } finally {
      this.#isBeginning = false;
    }
  }

  /** Returns false if it has only read the log. */
  async #beginTurn(locked: Locked, takeOver: TakeOver, sinceMs: number): Promise<boolean> {
    const { connection } = locked;
    const head = headAt(locked, this.#copy.seq) ?? (await this.#table.head(connection, this.#copy.seq));
    const isNear = this.#link.source.follows(this.#copy, head) && head.seq - this.#copy.seq <= LAG_MAX;
    // A long catch-up must not block other writers.
    if (!isNear) await connection.query('ROLLBACK');
    await this.#reach(connection, { ...head, news: locked.head.news }, head.seq, takeOver);
    const isConfirmed = head.seq <= this.durableSeq;
    if (isNear) this.#round = new WriteRound({ connection, head, isConfirmed, sinceMs });
    return isNear;
  }

  endTurn(): void {
    const round = this.#round;
    if (round === undefined) return;
    this.#round = undefined;
    this.#commits.begin(round);
  }

  late(): DomainError {
    return unavailable(this.trouble ?? 'earlier work of this node takes long');
  }

  answer(durable: Promise<void>, sinceMs: number): Promise<void> {
    return inTime(durable, sinceMs, this.#round);
  }

  async catchUp(takeOver: TakeOver, upTo: CatchUpTo = 'published'): Promise<void> {
    const deadline = this.#link.deadline();
    for (;;) {
      const { seq } = this.#copy;
      const connection = await this.#link.reading(deadline);
      try {
        await this.#catchUp(connection, takeOver, upTo);
        return;
      } catch (error) {
        throwUnlessLost(this.#noted(error));
        connection.abort();
        // A catch-up that made progress continues.
        if (deadline.aborted && this.#copy.seq === seq) throw unavailable(reasonOf(error), error);
        await pause(RETRY_MS);
      }
    }
  }

  async #catchUp(connection: Connection, takeOver: TakeOver, upTo: CatchUpTo): Promise<void> {
    const found = await this.#headNow(connection, upTo);
    if (found === undefined) return;
    const { source, commits } = this.#link;
    const isLost = source.hasLost(this.#copy, found);
    const head = isLost ? await commits.ask((each) => source.settled(each, this.#copy, found)) : found;
    if (head === undefined) throw unavailable('the database confirms no commit');
    await this.#reach(connection, { ...head, news: [] }, found.published, takeOver);
  }

  /**
   * The head for the copy as it is, which no COMMIT of this node changes any more; undefined if there is no
   * news because this node has the turn, or waits for its COMMIT.
   */
  async #headNow(connection: Connection, upTo: CatchUpTo): Promise<Head | undefined> {
    for (;;) {
      const { seq } = this.#copy;
      const read = await this.#table.head(connection, seq);
      const known = Math.max(this.durableSeq, (this.#round ?? this.#commits.pending)?.baseSeq ?? 0);
      const found = upTo === 'published' ? read : await this.#link.withCommitted(read, known);
      if (found.published > this.#copy.seq) {
        // The turn was lost, if there is one: nobody publishes in the turn of another.
        await this.#commits.settle(this.#round ?? this.#commits.pending, connection);
        this.#round = undefined;
      }
      // Meanwhile a COMMIT was answered.
      if (this.#copy.seq !== seq) continue;
      if ((this.#round ?? this.#commits.pending) === undefined) return found;
      return this.#show(connection, found);
    }
  }

  /** Readers do not wait for the COMMIT of this node: they learn what is published, and of another branch. */
  async #show(connection: Connection, found: Head): Promise<undefined> {
    if (!this.#link.source.follows(this.#copy, found))
      throw unavailable(
        'another history has begun, and the outcome of a COMMIT in this one is not known yet',
      );
    await this.#link.enter(connection, found);
    this.#copy.confirm(found.published);
  }

  /** Not while the copy takes no batches: this node must not do for others what it cannot finish. */
  async hold(name: string, ms: number): Promise<boolean> {
    return this.poisoned === undefined && this.#link.hold(name, ms);
  }

  release(name: string): Promise<void> {
    return this.#link.release(name);
  }

  leases(): Promise<readonly HeldLease[] | undefined> {
    return this.#link.heldLeases();
  }

  position(): SharedPosition {
    return this.#link.position(this.#copy.seq);
  }

  get(key: Uint8Array): Promise<StoredRecord | undefined> {
    return this.#copy.get(key);
  }

  scan(prefix: Uint8Array, options?: ScanOptions): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    return this.#copy.scan(prefix, options);
  }

  saveImage(seq: number, parts: readonly ImagePart[]): Promise<void> {
    return this.#copy.saveImage(seq, parts);
  }

  loadImage(): Promise<Image | undefined> {
    return this.#copy.storage.loadImage();
  }

  backup(targetDirectory: string, onBytes?: (bytes: number) => void): Promise<void> {
    return this.#copy.backupTo(targetDirectory, onBytes);
  }

  backupStream(options?: BackupOptions): AsyncGenerator<Uint8Array> {
    return this.#copy.backupStream(options);
  }

  get erasedSeq(): number {
    return this.#copy.erased;
  }

  erase(): Promise<readonly string[]> {
    return this.#copy.erase();
  }

  eraseLog(upTo: number): Promise<void> {
    return this.#bases.erase(upTo);
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
    this.#lock.close();
    await this.#link.close(this.#commits.ended);
    await this.#copy.close();
  }

  /** The error as writers get it: what is wrong with the store is shown by `trouble` too. */
  #noted(error: unknown): unknown {
    if (!(error instanceof DomainError) || error.code === 'STORE_UNAVAILABLE') return error;
    this.#trouble = error.message;
    return unavailable(error.message, error);
  }

  /** Applies the batches up to `seq` to the copy. */
  async #reach(connection: Connection, found: HeadWithNews, upTo: number, takeOver: TakeOver): Promise<void> {
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
    const next = found.news.filter(({ seq }) => seq > this.#copy.seq && seq <= upTo);
    if (next[0]?.seq === this.#copy.seq + 1) await this.#add(next, head.epoch, takeOver);
    for await (const batches of this.#table.read(connection, this.#copy.seq, upTo))
      await this.#add(batches, head.epoch, takeOver);
    this.#copy.confirm(head.published);
    this.#trouble = undefined;
  }

  async #add(batches: readonly SharedBatch[], epoch: string, takeOver: TakeOver): Promise<void> {
    await takeOver(batches.map(foreignBatch));
    this.#copy.add(batches, epoch);
    this.#link.applied(this.#copy.seq);
    // Others can write.
    this.#commits.refusal = undefined;
    this.#commits.doubt = undefined;
  }
}
