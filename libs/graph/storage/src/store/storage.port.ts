import type { DomainError } from '#platform/foundation';

/** Collects the operations of a batch, in order. Keys are 1–8,192 bytes; values are opaque. */
export interface BatchWriter {
  put(key: Uint8Array, value: Uint8Array): void;
  /** Puts one value under many keys; the log contains it once. */
  putShared(keys: readonly Uint8Array[], value: Uint8Array): void;
  /**
   * Deletes the key and keeps `value` in a tombstone: `get` no longer finds the key, `scan` can still return
   * it, and compaction purges it after `purgeAtMs` (Unix epoch).
   */
  delete(key: Uint8Array, value: Uint8Array, purgeAtMs: number): void;
}

/** A batch under construction. It must not be used after it is appended. */
export interface Batch extends BatchWriter {
  /** Size of the operations, without headers. */
  readonly byteLength: number;
  readonly operationCount: number;
  /** The batch in log format: u32 length of the operations, u32 number of operations, the operations. */
  encoded(): Uint8Array;
}

/** A live or deleted record of a scan. */
export interface StoredRecord {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly seq: number;
  readonly isDeleted: boolean;
}

/** A large cache that the caller has derived from the records up to `seq`, and can derive again. */
export interface Image {
  readonly seq: number;
  readonly parts: readonly Uint8Array[];
}

/** The immediate result of `append`. */
export interface Appended {
  /** Sequence numbers are assigned in the order of appends, without gaps, from 1. */
  readonly seq: number;
  /**
   * Resolves once the batch is on disk; shared by all batches of one group commit. Rejects with
   * NO_DISK_SPACE or STORE_UNAVAILABLE if the write or sync fails; an unhandled rejection is harmless.
   */
  readonly durable: Promise<void>;
}

export interface ScanOptions {
  /** Only records whose newest version is later than this. Segments without later records are not read. */
  readonly sinceSeq?: number;
  /** Whether tombstones are returned too. */
  readonly includeDeleted?: boolean;
  /** The first key; blocks of segments before it are not read. */
  readonly from?: Uint8Array;
  /** The end of the keys, which is left out. */
  readonly before?: Uint8Array;
}

/** One part of an image to be saved. */
export interface ImagePart {
  readonly bytes: Uint8Array;
  /** Compresses the part chunk by chunk on the thread pool: worth it for text, not for dense integers. */
  readonly compress?: boolean;
}

/** The log of the storage library, compatible with pino. */
export interface StorageLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** The end of the log that a crash left incomplete, and that the open has cut off. */
export interface CutTail {
  readonly file: string;
  readonly offset: number;
  /** Number of bytes that were cut off, without the zeros of prepared space. */
  readonly cut_bytes: number;
  /** The last remaining batch. */
  readonly last_seq: number;
}

export interface StorageStats {
  readonly wal_bytes: number;
  readonly wal_segments: number;
  readonly segments: number;
  readonly segment_bytes: number;
  readonly compactions: number;
  readonly memtable_bytes: number;
  /** Batches since open. */
  readonly appends: number;
  /** Group commits since open. */
  readonly syncs: number;
  /** Blocks of segments that the last scrub could not read. */
  readonly damaged_blocks: number;
  /** Bytes read by scrubs since open. */
  readonly scrubbed_bytes: number;
  /** Absent if the log was complete at the open. */
  readonly torn_tail?: CutTail | undefined;
}

export type LogOperation =
  | { readonly kind: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly kind: 'putShared'; readonly keys: readonly Uint8Array[]; readonly value: Uint8Array }
  | {
      readonly kind: 'delete';
      readonly key: Uint8Array;
      readonly value: Uint8Array;
      readonly purgeAtMs: number;
    };

export interface BackupOptions {
  /** Whether to include the image, which can be derived again from the records. Default true. */
  readonly withImage?: boolean;
}

export interface CloseOptions {
  /** False after a failed start, for a store that holds nothing that another start would not bring. */
  readonly isNeeded?: boolean;
}

/** The unreadable part of a file. */
export interface StoreDamage {
  readonly file: string;
  readonly blocks: number;
  readonly reason: string;
}

/** A batch that another process appended. */
export interface ForeignBatch {
  readonly seq: number;
  /** Time of the append, ms since 1970; never less than that of an earlier batch. */
  readonly atMs: number;
  /** Decodes the operations on each call. */
  operations(): Iterable<LogOperation>;
}

/** Applies batches of other processes, in order of sequence numbers; skips batches already applied. */
export type TakeOver = (batches: readonly ForeignBatch[]) => Promise<void>;

/** The owner of a local copy of a store that several processes write. */
export interface Follower {
  /** Notifies that new batches can be read with `catchUp`. */
  news(): void;
  /** Discards the batches appended after `seq`, none of which was published. */
  discard(seq: number): void;
  /** The epoch has changed: all data read from the store has to be read again. */
  reload(): Promise<void>;
}

export type CatchUpTo = 'published' | 'acknowledged';

/** The shared log of a store that several processes write. */
export interface SharedLog {
  /** Sets the follower. Call it once, before all other methods. */
  follow(follower: Follower): void;
  /**
   * Resolves when a turn of this process can begin, or has begun: no other process appends until its end.
   * Nothing else waits for this meanwhile. `sinceMs`: when the writer came, by `performance.now()`; it is
   * answered within a bounded time, with STORE_UNAVAILABLE if need be.
   */
  admit(sinceMs: number): Promise<void>;
  /**
   * Begins the turn, in which this process may append: earlier batches of other processes are applied. Within
   * a turn it resolves at once. Returns false if the turn was lost, or has ended: `admit` again.
   */
  turn(takeOver: TakeOver, sinceMs: number): Promise<boolean>;
  /**
   * Settles as the state that the turn now has, for an answer without a batch of its own: earlier batches of
   * other processes may not be as durable as a commit yet. Requires the turn.
   */
  readonly settled: Promise<void>;
  /** Ends the turn of this process: appended batches are committed. */
  endTurn(): void;
  /** How long a writer waits, from its arrival, until its work begins; then it gets {@link late}. */
  readonly patienceMs: number;
  /** The answer to a writer whose work has not begun in time, and never begins. */
  late(): DomainError;
  /**
   * Settles as `durable` does, of the batch that a writer has just appended, which came at `sinceMs`; or
   * rejects in time: the outcome is not known yet. The writer's own work does not count.
   */
  answer(durable: Promise<void>, sinceMs: number): Promise<void>;
  /**
   * Applies the batches of other processes: those that are published, which is the default, or all that are
   * acknowledged by now, also if their publication follows. Throws STORE_UNAVAILABLE.
   */
  catchUp(takeOver: TakeOver, upTo?: CatchUpTo): Promise<void>;
  /**
   * Acquires or renews the lease `name`, which at most one process holds and which expires after `ms`.
   * Returns false while another process holds it, or if its state is unknown.
   */
  hold(name: string, ms: number): Promise<boolean>;
  /** Releases the lease before it expires. */
  release(name: string): Promise<void>;
  /** The leases that are held, by this process and others; undefined if that is unknown. */
  leases(): Promise<readonly HeldLease[] | undefined>;
  /** The batch up to which what was deleted is erased from the files of this process. */
  readonly erasedSeq: number;
  /**
   * Removes the batches up to `upTo`, and all older states, from the shared log. What they have deleted must
   * be {@link Store.erase}d here before, and a later batch must exist. Repeatable. Throws
   * STORE_UNAVAILABLE; then some may be left.
   */
  eraseLog(upTo: number): Promise<void>;
  position(): SharedPosition;
  /** False while the local copy is being replaced by another history. */
  readonly isFollowing: boolean;
  /** Time of the last batch at the last turn or catch-up of this process: no later batch is earlier. */
  readonly lastMs: number;
}

export interface HeldLease {
  readonly name: string;
  /** The process that holds it. */
  readonly node: string;
}

/** The position of a process in the shared log. */
export interface SharedPosition {
  /** Identifies the process among those of the store. */
  readonly node: string;
  /** The last published batch known to this process. */
  readonly published: number;
  /** Age of the oldest published batch that is not yet applied here; 0 if all are applied. */
  readonly lagMs: number;
  /** The same; 0 without contact to the store, in which this process may be as far as any other. */
  readonly behindMs: number;
}

/**
 * Rejection of `durable` for a batch that was dropped before it was stored or published: it may be retried.
 */
export class BatchDropped extends Error {}

/** The store below the graph: totally ordered atomic batches, and the resulting records. */
export abstract class Store {
  /** The shared log, if other processes append too. */
  abstract readonly shared: SharedLog | undefined;
  /**
   * Identifies the history: a sequence number has a meaning only within its epoch. URL-safe, without dots.
   */
  abstract readonly epoch: string;
  /**
   * Up to which number an epoch belongs to this history: unbounded for the current one, -1 for one of another
   * history.
   */
  abstract lastOf(epoch: string): number;
  /** The epoch to which a batch of this history belongs: an earlier one than now, if there were several. */
  abstract readonly epochOf: (seq: number) => string;
  /** The last assigned sequence number. */
  abstract readonly seq: number;
  /** The last durable sequence number. */
  abstract readonly durableSeq: number;
  /** The error with which the store rejects writes for good; reads continue. */
  abstract readonly poisoned: DomainError | undefined;
  /** Why the store rejects writes at the moment, or is behind. */
  abstract readonly trouble: string | undefined;
  /** The unreadable parts of its files. */
  abstract readonly damage: readonly StoreDamage[];

  abstract batch(): Batch;
  /** `atMs` is the time of the batch, ms since 1970. Throws NO_DISK_SPACE or STORE_UNAVAILABLE. */
  abstract append(batch: Batch, atMs: number): Appended;
  /** The newest version; undefined if there is none or it is deleted. */
  abstract get(key: Uint8Array): Promise<StoredRecord | undefined>;
  /** The newest version of each key that starts with `prefix`, in bytewise key order, in chunks. */
  abstract scan(
    prefix: Uint8Array,
    options?: ScanOptions,
  ): AsyncGenerator<readonly StoredRecord[], void, undefined>;
  /** Saves `parts` as the image of the records up to `seq`, and replaces the previous image. */
  abstract saveImage(seq: number, parts: readonly ImagePart[]): Promise<void>;
  abstract loadImage(): Promise<Image | undefined>;
  /** Writes a consistent copy to a new or empty directory. */
  /** `onBytes` is told how many bytes are copied. */
  abstract backup(targetDirectory: string, onBytes?: (bytes: number) => void): Promise<void>;
  abstract backupStream(options?: BackupOptions): AsyncGenerator<Uint8Array>;
  /**
   * Removes the image, former versions and expired tombstones from the files of the store; resolves to files
   * that still hold some: a running backup needs them, or a repair has kept them. In a shared store those of
   * this process.
   */
  abstract erase(): Promise<readonly string[]>;
  abstract stats(): StorageStats;
  abstract close(options?: CloseOptions): Promise<void>;
}
