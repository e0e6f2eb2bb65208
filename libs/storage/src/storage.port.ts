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
