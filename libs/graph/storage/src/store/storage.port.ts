/** What a batch does to the store, in order. Keys are 1–8,192 bytes; values are opaque. */
export interface BatchWriter {
  put(key: Uint8Array, value: Uint8Array): void;
  /** Puts one value under many keys; it stands in the log once. */
  putShared(keys: readonly Uint8Array[], value: Uint8Array): void;
  /**
   * Leaves `value` as a tombstone: `get` no longer finds the key, `scan` can still show it, and compaction
   * purges it after `purgeAtMs` (Unix epoch).
   */
  delete(key: Uint8Array, value: Uint8Array, purgeAtMs: number): void;
}

/** A batch under construction. Appending it ends its life. */
export interface Batch extends BatchWriter {
  /** Without the headers of what holds it. */
  readonly byteLength: number;
  readonly operationCount: number;
  /** As a log holds it: u32 length of the operations, u32 their number, the operations. */
  encoded(): Uint8Array;
}

/** One live or deleted record of a scan. */
export interface StoredRecord {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly seq: number;
  readonly isDeleted: boolean;
}

/** A large byte form that the owner derived from the records up to `seq`, and can derive again. */
export interface Image {
  readonly seq: number;
  readonly parts: readonly Uint8Array[];
}

/** What `append` gives back at once. */
export interface Appended {
  /** Sequence numbers are given in the order of appends, without gaps, from 1. */
  readonly seq: number;
  /**
   * Settles once the batch is on disk; shared by all batches of one group commit. Rejects with
   * STORE_UNAVAILABLE when the write or sync fails; nobody has to listen.
   */
  readonly durable: Promise<void>;
}

export interface ScanOptions {
  /** Only records whose newest version is later than this. Segments that hold nothing later are not read. */
  readonly sinceSeq?: number;
  /** Shows tombstones too. */
  readonly includeDeleted?: boolean;
}

/** One part of an image to be saved. */
export interface ImagePart {
  readonly bytes: Uint8Array;
  /** Compresses the part chunk by chunk on the thread pool: worth it for text, not for dense integers. */
  readonly compress?: boolean;
}

/** Where storage says what it met. A pino logger fits. */
export interface StorageLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
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
  /** Read by scrubs since open. */
  readonly scrubbed_bytes: number;
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
  /** An image can be made again of the records. Default true. */
  readonly withImage?: boolean;
}

/** What of a file cannot be read. */
export interface StoreDamage {
  readonly file: string;
  readonly blocks: number;
  readonly reason: string;
}

/** A batch that another process appended. */
export interface ForeignBatch {
  readonly seq: number;
  /** When, ms since 1970; never less than that of an earlier batch. */
  readonly atMs: number;
  /** Decodes them; each call anew. */
  operations(): Iterable<LogOperation>;
}

/** Takes batches of others over, in the order of their numbers; those it has already are passed over. */
export type TakeOver = (batches: readonly ForeignBatch[]) => Promise<void>;

/** Who keeps a copy of what several processes write. */
export interface Follower {
  /** There is something to catch up on. */
  news(): void;
  /** What was appended after this number never was: none of it was published. */
  discard(seq: number): void;
  /** The history is another one: all that was read from the store is to be read again. */
  reload(): Promise<void>;
}

/** Of a store that other processes write, too. */
export interface SharedLog {
  /** To be called once, before anything else. */
  follow(follower: Follower): void;
  /**
   * Resolves when this process may append: what others appended before was taken over, and nobody else
   * appends until the turn has ended. Called again within a turn it may resolve at once. Throws
   * STORE_UNAVAILABLE.
   */
  turn(takeOver: TakeOver): Promise<void>;
  /** Nobody here wants to append now: what was appended is committed. */
  endTurn(): void;
  /** Has what others have published taken over. Throws STORE_UNAVAILABLE. */
  catchUp(takeOver: TakeOver): Promise<void>;
  /**
   * Takes what only one process has at a time, or prolongs it; gives false while another has it, or nobody
   * can tell. It ends by itself after so long.
   */
  hold(name: string, ms: number): Promise<boolean>;
  /** Others need not wait for its end. */
  release(name: string): Promise<void>;
  position(): SharedPosition;
  /** Time of the last batch when this process had its last turn, or caught up: none after it is earlier. */
  readonly lastMs: number;
}

/** How far a process is. */
export interface SharedPosition {
  /** Names the process among those of the store. */
  readonly node: string;
  /** The last batch that is published, as far as this process knows. */
  readonly published: number;
  /** Since when something is published that is not here; 0: all is. */
  readonly lagMs: number;
}

/** Rejects the `durable` of a batch that was dropped before it was anywhere: it may be planned again. */
export class BatchDropped extends Error {}

/** What the graph stands on: batches in one order, each whole or absent, and the records that they leave. */
export abstract class Store {
  /** Where other processes append too; undefined where nobody else does. */
  abstract readonly shared: SharedLog | undefined;
  /** Names the history: the same number of another one means something else. URL-safe, without dots. */
  abstract readonly epoch: string;
  /** The last sequence number given. */
  abstract readonly seq: number;
  /** The last one that will not be lost. */
  abstract readonly durableSeq: number;
  /** Why it takes no more writes; reads go on. */
  abstract readonly poisoned: string | undefined;
  /** Why it takes no writes at the moment, or is behind. */
  abstract readonly trouble: string | undefined;
  /** What could not be read of its files. */
  abstract readonly damage: readonly StoreDamage[];

  abstract batch(): Batch;
  /** `atMs`: its time, ms since 1970. Throws STORE_UNAVAILABLE. */
  abstract append(batch: Batch, atMs: number): Appended;
  /** The newest version; undefined when there is none or it is deleted. */
  abstract get(key: Uint8Array): Promise<StoredRecord | undefined>;
  /** The newest version of each key that starts with `prefix`, in bytewise key order, in chunks. */
  abstract scan(
    prefix: Uint8Array,
    options?: ScanOptions,
  ): AsyncGenerator<readonly StoredRecord[], void, undefined>;
  /** Keeps `parts` as the image of the records up to `seq`, in place of the one before. */
  abstract saveImage(seq: number, parts: readonly ImagePart[]): Promise<void>;
  abstract loadImage(): Promise<Image | undefined>;
  /** A consistent copy into a new or empty directory. */
  abstract backup(targetDirectory: string): Promise<void>;
  abstract backupStream(options?: BackupOptions): AsyncGenerator<Uint8Array>;
  abstract stats(): StorageStats;
  abstract close(): Promise<void>;
}
