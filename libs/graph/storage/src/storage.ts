import { DirectoryLock, DiskError, type Disk } from '#platform/disk';
import { assert, DomainError, systemClock, type Clock } from '#platform/foundation';
import { streamStore } from './backup/backup-stream.ts';
import { copyStore, type StoreView } from './backup/backup.ts';
import { GroupCommit } from './commit/group-commit.ts';
import type { LogGenerations } from './commit/log-generations.ts';
import { ImageStore } from './image/image-store.ts';
import type { JobRunner } from './jobs/job-runner.port.ts';
import { WorkerJobRunner } from './jobs/job-runners.ts';
import { Maintenance } from './maintenance.ts';
import { type Memtable, memtableSources } from './memtable/memtable.ts';
import { openStore, type OpenedStore } from './recovery/open-store.ts';
import { Scrubber, type ScrubOptions } from './scrubber.ts';
import { mergeNewest } from './segment/merge.ts';
import type { SegmentDamage } from './segment/segment-check.ts';
import type { SegmentReader } from './segment/segment-reader.ts';
import type { SegmentSet } from './segment/segment-set.ts';
import { FLUSHED_AT_CLOSE_BYTES, WAL_FILE_BYTES } from './store/limits.ts';
import { readManifest } from './store/manifest.ts';
import type { RecordSource, VersionedRecord } from './store/records.ts';
import {
  type Appended,
  type BackupOptions,
  type Image,
  type ImagePart,
  type ScanOptions,
  type StorageLog,
  type StorageStats,
  Store,
  type StoredRecord,
} from './store/storage.port.ts';
import { reasonOf, unavailableStore } from './store/store-error.ts';
import type { StoreFiles } from './store/store-files.ts';
import type { BatchBuilder } from './wal/batch-builder.ts';

export interface StorageOptions {
  readonly disk: Disk;
  readonly directory: string;
  readonly log?: StorageLog;
  readonly clock?: Clock;
  /** Called after each group commit: how many batches shared the sync, and how many bytes. */
  readonly onCommit?: (batches: number, bytes: number) => void;
  /** The log is rotated, and its records flushed to a segment, at this size. Default 64 MiB. */
  readonly walFileBytes?: number;
  /** Where flushes and merges run. Default: worker threads, over the machine's own file system. */
  readonly jobs?: JobRunner;
  /** How often segments are read to find damage early. Default: when {@link Storage.scrub} is called. */
  readonly scrub?: ScrubOptions;
}

/** What an open store consists of. */
interface StorageParts {
  readonly files: StoreFiles;
  readonly segments: SegmentSet;
  readonly generations: LogGenerations;
  readonly commit: GroupCommit;
  readonly maintenance: Maintenance;
  readonly scrubber: Scrubber;
}

const INDEX_SLICE_MS = 4;

/**
 * A log-structured store of byte keys and values in one directory, held by one process.
 *
 * Every batch is whole or absent after a crash, and the batches that survive are a prefix of those appended.
 */
export class Storage extends Store {
  readonly shared = undefined;
  readonly trouble = undefined;
  readonly #files: StoreFiles;
  readonly #segments: SegmentSet;
  readonly #generations: LogGenerations;
  readonly #commit: GroupCommit;
  readonly #maintenance: Maintenance;
  readonly #scrubber: Scrubber;
  readonly #images: ImageStore;
  #isClosed = false;

  private constructor({ files, segments, generations, commit, maintenance, scrubber }: StorageParts) {
    super();
    this.#files = files;
    this.#segments = segments;
    this.#generations = generations;
    this.#commit = commit;
    this.#maintenance = maintenance;
    this.#scrubber = scrubber;
    this.#images = new ImageStore(files);
  }

  /**
   * Opens or makes the store. Errors: STORE_LOCKED (another process holds it), STORE_CORRUPT (names file and
   * offset), STORE_TOO_NEW (nothing is touched), STORE_UNAVAILABLE (the directory cannot be read or written).
   */
  static async open(options: StorageOptions): Promise<Storage> {
    const { disk, directory, log, walFileBytes = WAL_FILE_BYTES } = options;
    try {
      await disk.makeDirectory(directory);
      await readManifest(disk, directory);
      const lock = await DirectoryLock.acquire(disk, directory, log);
      try {
        const storage = new Storage(partsOf(await openStore(options, lock, walFileBytes), options));
        storage.#maintenance.wake();
        storage.#scrubber.start();
        return storage;
      } catch (error) {
        await lock.release();
        throw error;
      }
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      const message = `cannot open the data directory: ${reasonOf(error)}`;
      throw new DomainError('STORE_UNAVAILABLE', message, { cause: error });
    }
  }

  /** Identifies the history that sequence numbers are of: a number of another one says nothing here. */
  get epoch(): string {
    return this.#files.manifest.epoch;
  }

  /** The last sequence number given. */
  get seq(): number {
    return this.#commit.seq;
  }

  /** The last sequence number on disk. */
  get durableSeq(): number {
    return this.#commit.durableSeq;
  }

  /**
   * Why the store takes no more writes: a failed write, sync, flush or merge. Reads go on; a new open
   * recovers.
   */
  get poisoned(): string | undefined {
    return this.#commit.poisoned;
  }

  /** What the last scrub could not read. The records may still stand in memory, or in an image. */
  get damage(): readonly SegmentDamage[] {
    return this.#segments.damage;
  }

  batch(): BatchBuilder {
    return this.#commit.batch();
  }

  /** Queues the batch for the next group commit. Throws STORE_UNAVAILABLE when poisoned or closed. */
  append(batch: BatchBuilder): Appended {
    if (this.#isClosed) throw unavailableStore('it is closed');
    return this.#commit.append(batch);
  }

  /** The newest version, durable or not; undefined when there is none or it is deleted. */
  async get(key: Uint8Array): Promise<StoredRecord | undefined> {
    const memtables = this.#memtables();
    const readers = this.#segments.readers;
    for (const reader of readers) reader.retain();
    try {
      // What is in memory may have to be read back from the log.
      const recent = await this.#files.whilePinned(() => findInMemory(memtables, key));
      const record = recent ?? (await findInSegments(readers, key));
      return record === undefined || record.isDeleted ? undefined : record;
    } finally {
      for (const reader of readers) await reader.release();
    }
  }

  /**
   * The newest version of each key that starts with `prefix`, in bytewise key order, as of the first step;
   * in chunks of some hundreds, so that a long scan costs little for each record. Keys and values are
   * views: they stay as they are while they are held, and must not be written to. Errors: STORE_CORRUPT.
   */
  async *scan(
    prefix: Uint8Array,
    options: ScanOptions = {},
  ): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    const sinceSeq = options.sinceSeq ?? 0;
    const isShown =
      options.includeDeleted === true ? () => true : (record: StoredRecord) => !record.isDeleted;
    const sources = await this.#files.whilePinned(() => this.#sources(prefix, sinceSeq));
    yield* mergeNewest(sources, (record) => record.seq > sinceSeq && isShown(record));
  }

  /** Writes what the log holds into a segment, and waits for it. */
  async flush(): Promise<void> {
    await this.#commit.rotate();
    await this.#maintenance.flushed();
  }

  /** Flushes and merges everything into one segment; drops shadowed versions and expired tombstones. */
  async compact(): Promise<void> {
    await this.flush();
    await this.#maintenance.mergeAll();
  }

  /** Reads all segments once, for {@link damage}, at the rate of `options.scrub`; joins one under way. */
  async scrub(): Promise<void> {
    await this.#scrubber.round();
  }

  /**
   * Keeps `parts` as the image of the records up to `seq`, which is durable, in place of the one before.
   * Rejects with a `DiskError` when the image cannot be written; the store stays usable. Parts may lie in
   * shared memory, and must not change meanwhile. An image that a purge has overtaken is dropped with a log
   * line.
   */
  async saveImage(seq: number, parts: readonly ImagePart[]): Promise<void> {
    assert(seq <= this.durableSeq, 'expected an image of durable records');
    if (this.poisoned !== undefined) throw unavailableStore(this.poisoned);
    await this.#images.save(seq, parts);
  }

  /** The image, its parts in shared memory; undefined (and logged) when there is none or it is damaged. */
  async loadImage(): Promise<Image | undefined> {
    return this.#images.load();
  }

  /**
   * Copies a consistent store, as of the last durable batch, into a new or empty directory on the same disk;
   * writes go on. The copy is complete, and durable, when this resolves; an interrupted one does not open.
   */
  async backup(targetDirectory: string): Promise<void> {
    const { disk, directory } = this.#files;
    await this.#files.whilePinned(() => copyStore(disk, directory, targetDirectory, this.#view()));
  }

  /**
   * The same as one stream of bytes (docs/formats/backup.md). Writes go on, however slowly it is read; files
   * that it still needs are removed when it ends.
   */
  async *backupStream({ withImage = true }: BackupOptions = {}): AsyncGenerator<Uint8Array> {
    const { disk, directory } = this.#files;
    const unpin = this.#files.pin();
    try {
      const view = this.#view();
      const manifest = withImage ? view.manifest : { ...view.manifest, image: null };
      yield* streamStore(disk, directory, { ...view, manifest });
    } finally {
      await unpin();
    }
  }

  stats(): StorageStats {
    const generations = this.#generations.all;
    const { segments, compactions } = this.#files.manifest.current;
    return {
      wal_bytes: generations.reduce((sum, generation) => sum + generation.walBytes, 0),
      wal_segments: generations.reduce((sum, generation) => sum + generation.walNumbers.length, 0),
      segments: segments.length,
      segment_bytes: this.#segments.bytes,
      compactions,
      memtable_bytes: generations.reduce((sum, generation) => sum + generation.memtable.bytes, 0),
      appends: this.#commit.appends,
      syncs: this.#commit.syncs,
      damaged_blocks: this.damage.reduce((sum, { blocks }) => sum + blocks, 0),
      scrubbed_bytes: this.#scrubber.bytes,
    };
  }

  /** Waits for queued batches, ends running jobs, and gives the directory free. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#commit.drained();
    await this.#scrubber.close();
    await this.#flushLong();
    await this.#maintenance.close();
    await this.#release();
  }

  /** The next open would read a long log, and hold all of it. */
  async #flushLong(): Promise<void> {
    const bytes = this.#generations.all.reduce((sum, { walBytes }) => sum + walBytes, 0);
    if (bytes < FLUSHED_AT_CLOSE_BYTES || this.poisoned !== undefined) return;
    try {
      await this.flush();
    } catch (error) {
      const fields = { event: 'storage.close', reason: reasonOf(error) };
      this.#files.log?.warn(fields, 'could not flush the log');
    }
  }

  /** Each file is closed, whatever the others do: a disk that failed fails here again. */
  async #release(): Promise<void> {
    const steps = [
      () => this.#commit.closeLog(),
      ...this.#segments.readers.map((reader) => () => reader.release()),
      () => this.#files.release(),
    ];
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        const fields = { event: 'storage.close', reason: reasonOf(error) };
        this.#files.log?.warn(fields, 'could not close a file');
      }
    }
  }

  /** Newest first. */
  #memtables(): Memtable[] {
    return this.#generations.all.map((generation) => generation.memtable).reverse();
  }

  /** One source for each sorted run and segment; what they show is settled in one turn. */
  async #sources(prefix: Uint8Array, sinceSeq: number): Promise<RecordSource[]> {
    const collected = (await this.#indexedSince(sinceSeq)).map((memtable) => {
      return { memtable, entries: memtable.collect(prefix, sinceSeq) };
    });
    const sources = this.#segments.readers
      .filter((reader) => reader.footer.maxSeq > sinceSeq)
      .map((reader) => reader.source(prefix, sinceSeq));
    for (const { memtable, entries } of collected)
      sources.push(...(await memtableSources(memtable, entries)));
    return sources;
  }

  /** The memtables that hold anything later, in the very turn in which all of them are indexed. */
  async #indexedSince(sinceSeq: number): Promise<Memtable[]> {
    for (;;) {
      const later = this.#memtables().filter((memtable) => memtable.lastSeq > sinceSeq);
      if (later.every((memtable) => memtable.indexSome(INDEX_SLICE_MS))) return later;
      for (const memtable of later) await memtable.readBack();
      await new Promise(setImmediate);
    }
  }

  /** What is durable now. The last file may be growing. */
  #view(): StoreView {
    const { number: last, end } = this.#commit.position;
    const numbers = this.#generations.all.flatMap((generation) => generation.walNumbers);
    const walFiles = numbers.map((number) => ({ number, bytes: number === last ? end : undefined }));
    return { manifest: { ...this.#files.manifest.current, last_wal: last }, walFiles, seq: this.durableSeq };
  }
}

function partsOf(
  { files, segments, generations, log, seq }: OpenedStore,
  options: StorageOptions,
): StorageParts {
  const { jobs = new WorkerJobRunner(), clock = systemClock, onCommit, scrub } = options;
  const commit = new GroupCommit({
    log,
    generations,
    seq,
    walFileBytes: options.walFileBytes ?? WAL_FILE_BYTES,
    onCommit,
    onPoison: (reason) => {
      files.log?.error({ event: 'storage.poisoned', reason }, 'the store takes no more writes');
    },
  });
  const onFailure = (reason: string, cause: unknown): void => commit.poison(reason, cause);
  const maintenance = new Maintenance({ files, segments, generations, jobs, clock, onFailure });
  const scrubber = new Scrubber({ files, segments, jobs, scrub });
  return { files, segments, generations, commit, maintenance, scrubber };
}

async function findInMemory(
  memtables: readonly Memtable[],
  key: Uint8Array,
): Promise<VersionedRecord | undefined> {
  for (const memtable of memtables) {
    await memtable.indexAll();
    const record = memtable.get(key);
    if (record !== undefined) return record;
  }
  return undefined;
}

/** Newest first. */
async function findInSegments(
  readers: readonly SegmentReader[],
  key: Uint8Array,
): Promise<VersionedRecord | undefined> {
  for (const reader of readers.toReversed()) {
    const record = await reader.get(key);
    if (record !== undefined) return record;
  }
  return undefined;
}
