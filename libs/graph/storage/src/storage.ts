import { DataDirectory, DiskError, type Disk } from '#platform/disk';
import { assert, DomainError, systemClock, type Clock } from '#platform/foundation';
import { streamStore } from './backup/backup-stream.ts';
import { copyStore, type StoreView } from './backup/backup.ts';
import { GroupCommit } from './commit/group-commit.ts';
import type { LogGenerations } from './commit/log-generations.ts';
import { ImageStore } from './image/image-store.ts';
import type { JobRunner } from './jobs/job-runner.port.ts';
import { WorkerJobRunner } from './jobs/job-runners.ts';
import { Maintenance } from './maintenance.ts';
import { findInMemory, type Memtable, memtableSources } from './memtable/memtable.ts';
import { openStore, type OpenedStore } from './recovery/open-store.ts';
import { Scrubber, type ScrubOptions } from './scrubber.ts';
import { mergeNewest } from './segment/merge.ts';
import type { SegmentDamage } from './segment/segment-check.ts';
import type { SegmentReader } from './segment/segment-reader.ts';
import type { SegmentSet } from './segment/segment-set.ts';
import { FLUSHED_AT_CLOSE_BYTES, WAL_FILE_BYTES } from './store/limits.ts';
import { readManifest } from './store/manifest.ts';
import type { KeyRange, RecordSource, VersionedRecord } from './store/records.ts';
import {
  type Appended,
  type BackupOptions,
  type CloseOptions,
  type Image,
  type ImagePart,
  type ScanOptions,
  type StorageLog,
  type StorageStats,
  Store,
  type StoredRecord,
  type CutTail,
} from './store/storage.port.ts';
import { reasonOf, unavailableStore } from './store/store-error.ts';
import type { StoreFiles } from './store/store-files.ts';
import type { BatchBuilder } from './wal/batch-builder.ts';

export interface StorageOptions {
  readonly disk: Disk;
  readonly directory: string;
  readonly log?: StorageLog;
  readonly clock?: Clock;
  /** Called after each group commit with its number of batches and bytes. */
  readonly onCommit?: (batches: number, bytes: number) => void;
  /** Size at which the log is rotated and its records are flushed to a segment. Default 64 MiB. */
  readonly walFileBytes?: number;
  /**
   * How long small batches wait for others, which then share their write and sync. Default: until the end of
   * the turn of the event loop.
   */
  readonly gatherMs?: number;
  /** Where flushes and merges run. Default: worker threads, on the machine's file system. */
  readonly jobs?: JobRunner;
  /** How often segments are read to find damage early. Default: only when {@link Storage.scrub} is called. */
  readonly scrub?: ScrubOptions;
}

/** The parts of an open store. */
interface StorageParts {
  readonly files: StoreFiles;
  readonly segments: SegmentSet;
  readonly generations: LogGenerations;
  readonly commit: GroupCommit;
  readonly maintenance: Maintenance;
  readonly scrubber: Scrubber;
  readonly cutTail: CutTail | undefined;
}

const INDEX_SLICE_MS = 4;

/**
 * A log-structured store of byte keys and values in one directory, held by one process.
 *
 * After a crash every batch is whole or absent, and the surviving batches are a prefix of the appended ones.
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
  readonly #cutTail: CutTail | undefined;
  #isClosed = false;

  private constructor(parts: StorageParts) {
    super();
    const { files, segments, generations, commit, maintenance, scrubber, cutTail } = parts;
    this.#files = files;
    this.#segments = segments;
    this.#generations = generations;
    this.#commit = commit;
    this.#maintenance = maintenance;
    this.#scrubber = scrubber;
    this.#images = new ImageStore(files);
    this.#cutTail = cutTail;
  }

  /**
   * Opens or creates the store. Errors: STORE_LOCKED (another process holds it), STORE_CORRUPT (with file and
   * offset), STORE_TOO_NEW (no file is changed), STORE_UNAVAILABLE (the directory is not readable or
   * writable).
   */
  static async open(options: StorageOptions): Promise<Storage> {
    const { disk, directory, log, walFileBytes = WAL_FILE_BYTES } = options;
    try {
      await readManifest(disk, directory);
      const claim = await DataDirectory.claim(disk, directory, { owner: 'graph', log });
      try {
        const storage = new Storage(partsOf(await openStore(options, claim, walFileBytes), options));
        storage.#maintenance.wake();
        storage.#scrubber.start();
        return storage;
      } catch (error) {
        await claim.undo();
        throw error;
      }
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      const message = `cannot open the data directory ${directory}: ${reasonOf(error)}`;
      throw new DomainError('STORE_UNAVAILABLE', message, { cause: error });
    }
  }

  /** Identifies the history: sequence numbers of another epoch have no meaning in this store. */
  get epoch(): string {
    return this.#files.manifest.epoch;
  }

  lastOf(epoch: string): number {
    return epoch === this.epoch ? Infinity : -1;
  }

  readonly epochOf = (): string => this.epoch;

  get seq(): number {
    return this.#commit.seq;
  }

  get durableSeq(): number {
    return this.#commit.durableSeq;
  }

  /**
   * Why the store rejects writes: a failed write, sync, flush or merge. Reads continue; a new open recovers.
   */
  get poisoned(): DomainError | undefined {
    return this.#commit.poisoned;
  }

  /** Damage found by scrubs and reads. The records may still be in memory, or in an image. */
  get damage(): readonly SegmentDamage[] {
    return this.#segments.damage;
  }

  batch(): BatchBuilder {
    return this.#commit.batch();
  }

  /** Queues the batch for the next group commit. Throws STORE_UNAVAILABLE if poisoned or closed. */
  append(batch: BatchBuilder): Appended {
    if (this.#isClosed) throw unavailableStore('it is closed');
    return this.#commit.append(batch);
  }

  /** The newest version, durable or not; undefined if there is none or it is deleted. */
  async get(key: Uint8Array): Promise<StoredRecord | undefined> {
    const memtables = this.#memtables();
    const readers = this.#segments.readers;
    for (const reader of readers) reader.retain();
    try {
      // Indexing may read ranges of the memtable back from the log.
      const recent = await this.#files.whilePinned(() => findInMemory(memtables, key));
      const record = recent ?? (await findInSegments(readers, key));
      return record === undefined || record.isDeleted ? undefined : record;
    } finally {
      for (const reader of readers) await reader.release();
    }
  }

  /**
   * The newest version of each key that starts with `prefix`, in bytewise key order, as of the first step, in
   * chunks of some hundreds, so that a long scan costs little per record. Keys and values are views: they
   * stay valid while they are referenced, and must not be written to. Errors: STORE_CORRUPT.
   */
  async *scan(
    prefix: Uint8Array,
    { sinceSeq = 0, includeDeleted = false, ...range }: ScanOptions = {},
  ): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    const sources = await this.#files.whilePinned(() => this.#sources({ prefix, ...range }, sinceSeq));
    yield* mergeNewest(sources, ({ seq, isDeleted }) => seq > sinceSeq && (includeDeleted || !isDeleted));
  }

  /** Writes the records of the log into a segment, and waits for it. */
  async flush(): Promise<void> {
    await this.#commit.rotate();
    await this.#maintenance.flushed();
  }

  /** Flushes and merges everything into one segment; drops superseded versions and expired tombstones. */
  async compact(): Promise<void> {
    await this.flush();
    await this.#maintenance.mergeAll();
  }

  async erase(): Promise<readonly string[]> {
    await this.#images.drop('what was deleted is erased');
    await this.compact();
    return this.#files.formerFiles();
  }

  /** Reads all segments once at the rate of `options.scrub`, for {@link damage}; joins a running scrub. */
  async scrub(): Promise<void> {
    await this.#scrubber.round();
  }

  /**
   * Saves `parts` as the image of the records up to `seq`, which is durable, and replaces the previous image.
   * Rejects with a `DiskError` if the write fails; the store stays usable. Parts may be in shared memory, and
   * must not change meanwhile. An image older than a purged tombstone is dropped and logged.
   */
  async saveImage(seq: number, parts: readonly ImagePart[]): Promise<void> {
    assert(seq <= this.durableSeq, 'expected an image of durable records');
    this.#commit.assertAccepting();
    await this.#images.save(seq, parts);
  }

  /** The image, with parts in shared memory; undefined if there is none, or it is damaged (logged). */
  async loadImage(): Promise<Image | undefined> {
    return this.#images.load();
  }

  /** Copies the store as of the last durable batch, durably. An interrupted copy does not open. */
  async backup(targetDirectory: string, onBytes?: (bytes: number) => void): Promise<void> {
    const { disk, directory: from } = this.#files;
    const copy = { disk, from, to: targetDirectory, onBytes };
    await this.#files.whilePinned(() => copyStore(copy, this.#view()));
  }

  /**
   * The same as one stream of bytes (docs/formats/backup.md). Writes continue even if it is read slowly;
   * obsolete files that it needs are removed when it ends.
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
      ...(this.#cutTail && { torn_tail: this.#cutTail }),
    };
  }

  /**
   * Waits for queued batches, ends running jobs, and releases the directory. A store that is not needed is
   * removed if its directory was created by the open.
   */
  async close({ isNeeded = true }: CloseOptions = {}): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#commit.drained();
    await this.#scrubber.close();
    await this.#flushLong();
    await this.#maintenance.close();
    await this.#noteStop();
    await this.#release(!isNeeded);
  }

  /** Flushes a long log, which the next open would otherwise read into memory. */
  async #flushLong(): Promise<void> {
    const bytes = this.#generations.all.reduce((sum, { walBytes }) => sum + walBytes, 0);
    if (bytes < FLUSHED_AT_CLOSE_BYTES || this.poisoned !== undefined) return;
    await this.#attempt('flush of the log failed', () => this.flush());
  }

  /** Records where the log ends, which is unknown after a failed write. */
  async #noteStop(): Promise<void> {
    if (this.poisoned !== undefined) return;
    const { number, end } = this.#commit.position;
    await this.#attempt('length of the log not recorded', () => this.#files.manifest.noteStop(number, end));
  }

  /** Closes every file even if another fails: a failed disk fails here again. */
  async #release(isUndone: boolean): Promise<void> {
    const steps = [
      () => this.#commit.closeLog(),
      ...this.#segments.readers.map((reader) => () => reader.release()),
      () => (isUndone ? this.#files.undo() : this.#files.release()),
    ];
    for (const step of steps) await this.#attempt('close of a file failed', step);
  }

  async #attempt(failure: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.#files.log?.warn({ event: 'storage.close', reason: reasonOf(error) }, failure);
    }
  }

  #memtables(): Memtable[] {
    return this.#generations.all.map((generation) => generation.memtable).reverse();
  }

  /** One source per sorted run and segment; their content is fixed within one turn. */
  async #sources(range: KeyRange, sinceSeq: number): Promise<RecordSource[]> {
    const collected = (await this.#indexedSince(sinceSeq)).map((memtable) => {
      return { memtable, entries: memtable.collect(range, sinceSeq) };
    });
    const sources = this.#segments.readers
      .filter((reader) => reader.footer.maxSeq > sinceSeq)
      .map((reader) => reader.source(range, sinceSeq));
    for (const { memtable, entries } of collected)
      sources.push(...(await memtableSources(memtable, entries)));
    return sources;
  }

  /** The memtables with later records, in the same turn in which all of them are indexed. */
  async #indexedSince(sinceSeq: number): Promise<Memtable[]> {
    for (;;) {
      const later = this.#memtables().filter((memtable) => memtable.lastSeq > sinceSeq);
      if (later.every((memtable) => memtable.indexSome(INDEX_SLICE_MS))) return later;
      for (const memtable of later) await memtable.readBack();
      await new Promise(setImmediate);
    }
  }

  /** The durable files. The last one may be growing. */
  #view(): StoreView {
    const { number: last, end } = this.#commit.position;
    const numbers = this.#generations.all.flatMap((generation) => generation.walNumbers);
    const walFiles = numbers.map((number) => ({ number, bytes: number === last ? end : undefined }));
    const stopped = { wal: last, bytes: end };
    const manifest = { ...this.#files.manifest.current, last_wal: last, stopped };
    return { manifest, walFiles, seq: this.durableSeq };
  }
}

function partsOf(
  { files, segments, generations, log, seq, cutTail }: OpenedStore,
  options: StorageOptions,
): StorageParts {
  const { jobs = new WorkerJobRunner(), clock = systemClock, onCommit, scrub } = options;
  const commit = new GroupCommit({
    log,
    generations,
    seq,
    walFileBytes: options.walFileBytes ?? WAL_FILE_BYTES,
    gatherMs: options.gatherMs ?? 0,
    onCommit,
    onPoison: ({ message }) => {
      files.log?.error({ event: 'storage.poisoned', reason: message }, 'store poisoned');
    },
  });
  const onFailure = (cause: unknown): void => commit.poison(cause);
  const maintenance = new Maintenance({ files, segments, generations, jobs, clock, onFailure });
  const scrubber = new Scrubber({ files, segments, jobs, scrub });
  return { files, segments, generations, commit, maintenance, scrubber, cutTail };
}

/** Finds the newest record of a key: segments are searched newest first. */
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
