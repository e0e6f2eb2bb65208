/**
 * What goes on beside the writers: frozen generations become segments, neighbouring segments become one.
 * Flushes and merges run at the same time, each kind one at a time. A failure poisons the store: it is the
 * disk's, and the disk is the log's too. Damage that a merge reads does not: that segment is left out.
 */
import type { Disk } from '#platform/disk';
import type { Clock } from '#platform/foundation';
import type { LogGeneration } from './commit/log-files.ts';
import { planMerge } from './compaction-plan.ts';
import type { JobRunner, RunningJob } from './jobs/job-runner.port.ts';
import type { Job, JobResult } from './jobs/job.ts';
import { SegmentReader } from './segment/segment-reader.ts';
import type { SegmentSet } from './segment/segment-set.ts';
import type { SegmentSummary } from './segment/segment-writer.ts';
import { fileName } from './store/file-names.ts';
import type { FileRemoval } from './store/file-removal.ts';
import { FROZEN_GENERATIONS_MAX } from './store/limits.ts';
import type { Manifest, ManifestFile, SegmentEntry } from './store/manifest.ts';
import type { StorageLog } from './store/storage.port.ts';
import { corruptStore, type DamagePlace, damageOf, reasonOf, unavailableStore } from './store/store-error.ts';

export interface MaintenanceOptions {
  readonly disk: Disk;
  readonly directory: string;
  readonly jobs: JobRunner;
  readonly clock: Clock;
  readonly log: StorageLog | undefined;
  readonly manifest: ManifestFile;
  readonly segments: SegmentSet;
  readonly removal: FileRemoval;
  /** Whether a segment is known to hold what cannot be read. */
  readonly isDamaged: (name: string) => boolean;
  /** A merge met damage that was not known. */
  readonly onDamage: (place: DamagePlace, reason: string) => void;
  readonly onFailure: (reason: string, cause: unknown) => void;
}

export class Maintenance {
  readonly #options: MaintenanceOptions;
  #frozen: readonly LogGeneration[] = [];
  readonly #running = new Set<RunningJob>();
  #flushing: Promise<void> | undefined;
  #merging: Promise<void> | undefined;
  #progress = newSignal();
  #failure: string | undefined;
  #isClosed = false;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
  }

  /** Oldest first. */
  get frozen(): readonly LogGeneration[] {
    return this.#frozen;
  }

  addFrozen(generation: LogGeneration): void {
    this.#frozen = [...this.#frozen, generation];
  }

  /** Begins to flush what is complete. */
  wake(): void {
    if (this.#isClosed || this.#failure !== undefined) return;
    this.#flushing ??= this.#guarded(() => this.#flushAll()).finally(() => (this.#flushing = undefined));
  }

  /** Resolves once few enough generations wait: writers are held back rather than memory filled. */
  async roomForGeneration(): Promise<void> {
    while (this.#frozen.length > FROZEN_GENERATIONS_MAX && !this.#isClosed) await this.#nextProgress();
  }

  /** Resolves when nothing that was complete is left to flush; rejects when a flush failed. */
  async flushed(): Promise<void> {
    while (this.#frozen.some((generation) => generation.isComplete)) {
      this.wake();
      await this.#nextProgress();
    }
  }

  /** Merges all segments into one. STORE_CORRUPT, and nothing done, when one is known to be damaged. */
  async mergeAll(): Promise<void> {
    while (this.#merging !== undefined) await this.#merging;
    if (this.#options.segments.readers.length === 0) return;
    this.#refuseDamaged();
    await this.#startMerging(() => this.#tryMerge(0));
    this.#assertWorking();
    this.#refuseDamaged();
  }

  /**
   * Ends running jobs, and resolves when nothing runs any more. What they wrote is removed by the next open.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#signalProgress();
    await Promise.all([...this.#running].map((job) => job.cancel()));
    await this.#flushing;
    await this.#merging;
  }

  async #flushAll(): Promise<void> {
    for (;;) {
      const complete = this.#frozen.filter((generation) => generation.isComplete);
      if (complete.length === 0 || this.#isClosed) return;
      await this.#flush(complete);
      this.#signalProgress();
      void this.#startMerging(() => this.#mergePlanned());
    }
  }

  async #flush(generations: readonly LogGeneration[]): Promise<void> {
    const { directory, manifest, segments, removal } = this.#options;
    const numbers = generations.flatMap((generation) => generation.walNumbers);
    const walFiles = numbers.map((number) => fileName('wal', number));
    const output = fileName('segment', manifest.takeNumber());
    const { summary } = await this.#run({ kind: 'flush', directory, walFiles, output });
    const reader = await this.#openOutput(output, summary);
    const flushedSeq = Math.max(...generations.map((generation) => generation.memtable.lastSeq));
    const flushed = (current: Manifest): Manifest => ({
      ...current,
      segments: [...current.segments, ...entriesOf(output, summary)],
      first_wal: Math.max(...numbers) + 1,
      flushed_seq: Math.max(current.flushed_seq, flushedSeq),
    });
    await this.#change(reader, flushed, () => {
      if (reader !== undefined) segments.add(reader);
      this.#frozen = this.#frozen.slice(generations.length);
    });
    await removal.remove(walFiles);
    this.#say('storage.flushed', { files: walFiles.length, segment: output, ...summary }, 'flushed the log');
  }

  /** A damaged segment takes no part: it cannot be read, and writers can do without that. */
  async #mergePlanned(): Promise<void> {
    for (;;) {
      const { segments, isDamaged } = this.#options;
      const first = segments.readers.findLastIndex((reader) => isDamaged(reader.name)) + 1;
      const from = planMerge(segments.readers.slice(first).map((reader) => reader.bytes));
      if (from === undefined || this.#isClosed) return;
      await this.#tryMerge(first + from);
    }
  }

  #refuseDamaged(): void {
    const { segments, isDamaged } = this.#options;
    const damaged = segments.readers.find((reader) => isDamaged(reader.name));
    if (damaged !== undefined) throw corruptStore(damaged.name, 0, 'damage');
  }

  /** Damage of an input is no failure of the disk's writes: the inputs stay as they are. */
  async #tryMerge(from: number): Promise<void> {
    try {
      await this.#merge(from);
    } catch (error) {
      const place = damageOf(error);
      if (place === undefined) throw error;
      this.#options.onDamage(place, reasonOf(error));
    }
  }

  /** All segments from this position on, the newest ones. */
  async #merge(from: number): Promise<void> {
    const { directory, manifest, segments, removal, clock } = this.#options;
    const inputs = segments.readers.slice(from);
    const names = inputs.map((reader) => reader.name);
    const output = fileName('segment', manifest.takeNumber());
    const purgeUpToSeq = from === 0 ? (manifest.current.image?.seq ?? Number.MAX_SAFE_INTEGER) : -1;
    const nowMs = clock.nowMs();
    const result = await this.#run({ kind: 'merge', directory, inputs: names, output, purgeUpToSeq, nowMs });
    const reader = await this.#openOutput(output, result.summary);
    const entries = entriesOf(output, result.summary);
    await this.#change(
      reader,
      (current) => merged(current, names, entries, result.purgedSeq),
      () => {
        segments.replace(inputs, reader);
      },
    );
    for (const input of inputs) await input.release();
    await removal.remove(names);
    this.#say(
      'storage.compacted',
      { inputs: names.length, older: from, segment: output, ...result.summary },
      'merged segments',
    );
  }

  async #openOutput(name: string, summary: SegmentSummary | undefined): Promise<SegmentReader | undefined> {
    if (summary === undefined) return undefined;
    return SegmentReader.open(this.#options.disk, this.#options.directory, name);
  }

  /** Changes the manifest; lets go of a new segment that it does not name after all. */
  async #change(
    reader: SegmentReader | undefined,
    change: (manifest: Manifest) => Manifest,
    onChanged: () => void,
  ): Promise<void> {
    try {
      await this.#options.manifest.change(change, onChanged);
    } catch (error) {
      await reader?.release();
      throw error;
    }
  }

  async #run(job: Job): Promise<JobResult> {
    const running = this.#options.jobs.start(job);
    this.#running.add(running);
    try {
      return await running.result;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Unless a merge runs: that one goes on until nothing is left to merge. */
  #startMerging(work: () => Promise<void>): Promise<void> | undefined {
    if (this.#isClosed || this.#failure !== undefined) return undefined;
    this.#merging ??= this.#guarded(work).finally(() => (this.#merging = undefined));
    return this.#merging;
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#isClosed) return;
      this.#failure = reasonOf(error);
      this.#options.onFailure(this.#failure, error);
      this.#signalProgress();
    }
  }

  async #nextProgress(): Promise<void> {
    this.#assertWorking();
    await this.#progress.promise;
    this.#assertWorking();
  }

  #signalProgress(): void {
    this.#progress.resolve();
    this.#progress = newSignal();
  }

  #assertWorking(): void {
    if (this.#failure !== undefined) throw unavailableStore(this.#failure);
    if (this.#isClosed) throw unavailableStore('it is closed');
  }

  #say(event: string, fields: Readonly<Record<string, unknown>>, message: string): void {
    this.#options.log?.info({ event, ...fields }, message);
  }
}

function entriesOf(name: string, summary: SegmentSummary | undefined): SegmentEntry[] {
  if (summary === undefined) return [];
  const { bytes, records, minSeq, maxSeq } = summary;
  return [{ name, bytes, records, min_seq: minSeq, max_seq: maxSeq }];
}

/** `names` are neighbours; `replacement` takes their place. */
function merged(
  current: Manifest,
  names: readonly string[],
  replacement: readonly SegmentEntry[],
  purgedSeq: number,
): Manifest {
  const at = current.segments.findIndex((segment) => segment.name === names[0]);
  const after = current.segments.slice(at + names.length);
  return {
    ...current,
    segments: [...current.segments.slice(0, at), ...replacement, ...after],
    purged_seq: Math.max(current.purged_seq, purgedSeq),
    compactions: current.compactions + 1,
  };
}

function newSignal(): PromiseWithResolvers<void> {
  return Promise.withResolvers();
}
