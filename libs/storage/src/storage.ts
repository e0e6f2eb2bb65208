import type { Disk } from '#disk';
import type {
  Appended,
  BatchWriter,
  Image,
  ImagePart,
  ScanOptions,
  StorageLog,
  StorageStats,
  StoredRecord,
} from './storage.port.ts';

export interface StorageOptions {
  readonly disk: Disk;
  readonly directory: string;
  readonly log?: StorageLog;
  /** Called after each group commit: how many batches shared the sync, and how many bytes. */
  readonly onCommit?: (batches: number, bytes: number) => void;
  /** The log is rotated, and its records flushed to a segment, at this size. Default 64 MiB. */
  readonly walFileBytes?: number;
}

/** A batch under construction. Reused after `append`: do not touch it afterwards. */
export interface BatchBuilder extends BatchWriter {
  readonly byteLength: number;
  readonly operationCount: number;
}

/**
 * A log-structured store of byte keys and values in one directory, held by one process.
 *
 * Every batch is whole or absent after a crash, and the batches that survive are a prefix of those appended.
 */
export class Storage {
  /**
   * Opens or makes the store. Errors: STORE_LOCKED (another process holds it), STORE_CORRUPT (names file and
   * offset), STORE_TOO_NEW (nothing is touched), STORE_UNAVAILABLE (the directory cannot be written).
   */
  static open(options: StorageOptions): Promise<Storage> {
    throw new Error(`not built: ${options.directory}`);
  }

  /** The last sequence number given. */
  get seq(): number {
    return 0;
  }

  /** The last sequence number on disk. */
  get durableSeq(): number {
    return 0;
  }

  /** Why the store takes no more writes: a failed write, sync or flush. Reads go on; a new open recovers. */
  get poisoned(): string | undefined {
    return undefined;
  }

  batch(): BatchBuilder {
    throw new Error('not built');
  }

  /** Queues the batch for the next group commit. Throws STORE_UNAVAILABLE when poisoned or closed. */
  append(batch: BatchBuilder): Appended {
    throw new Error(`not built ${batch.byteLength}`);
  }

  /** The newest version, durable or not; undefined when there is none or it is deleted. */
  get(key: Uint8Array): Promise<StoredRecord | undefined> {
    throw new Error(`not built ${key.length}`);
  }

  /**
   * The newest version of each key that starts with `prefix`, in bytewise key order, as of the call; in chunks of
   * some hundreds, so that a long scan costs little for each record. Keys and values are views: valid as long as
   * they are held, never to be written to.
   */
  scan(prefix: Uint8Array, options?: ScanOptions): AsyncIterable<readonly StoredRecord[]> {
    throw new Error(`not built ${prefix.length} ${options?.sinceSeq}`);
  }

  /** Writes what the log holds into a segment, and waits for it. */
  flush(): Promise<void> {
    throw new Error('not built');
  }

  /** Flushes and merges everything into one segment; drops shadowed versions and expired tombstones. */
  compact(): Promise<void> {
    throw new Error('not built');
  }

  /**
   * Keeps `parts` as the image of the records up to `seq`, in place of the one before. Rejects when the disk
   * fails; the store stays usable. Parts may lie in shared memory, and must not change meanwhile.
   */
  saveImage(seq: number, parts: readonly ImagePart[]): Promise<void> {
    throw new Error(`not built ${seq} ${parts.length}`);
  }

  /** The image, its parts in shared memory; undefined (and logged) when there is none or it is damaged. */
  loadImage(): Promise<Image | undefined> {
    throw new Error('not built');
  }

  /** Copies a consistent store, as of the last durable batch, into a new or empty directory; writes go on. */
  backup(targetDirectory: string): Promise<void> {
    throw new Error(`not built ${targetDirectory}`);
  }

  stats(): StorageStats {
    throw new Error('not built');
  }

  /** Waits for queued batches and running jobs, and gives the directory free. */
  close(): Promise<void> {
    throw new Error('not built');
  }
}
