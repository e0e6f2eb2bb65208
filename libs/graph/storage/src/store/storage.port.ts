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
