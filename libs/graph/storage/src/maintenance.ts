/**
 * Background maintenance: flushes frozen generations to segments, and merges neighbouring segments. At most
 * one flush and one merge run at the same time. A failure poisons the store, since the log is on the same
 * disk. Damage found by a merge does not: the damaged segment is left out.
 */
import type { Clock, DomainError } from '#platform/foundation';
import type { LogGeneration, LogGenerations } from './commit/log-generations.ts';
import { planMerge } from './compaction-plan.ts';
import type { JobRunner, RunningJob } from './jobs/job-runner.port.ts';
import type { Job, JobResult } from './jobs/job.ts';
import { SegmentReader } from './segment/segment-reader.ts';
import type { SegmentSet } from './segment/segment-set.ts';
import type { SegmentSummary } from './segment/segment-writer.ts';
import { fileName } from './store/file-names.ts';
import type { Manifest, SegmentEntry } from './store/manifest.ts';
import { corruptStore, damageOf, poisonedStore, reasonOf, unavailableStore } from './store/store-error.ts';
import type { StoreFiles } from './store/store-files.ts';

export interface MaintenanceOptions {
  readonly files: StoreFiles;
  readonly segments: SegmentSet;
  readonly generations: LogGenerations;
  readonly jobs: JobRunner;
  readonly clock: Clock;
  readonly onFailure: (cause: unknown) => void;
}

const CLOSED = 'it is closed';

export class Maintenance {
  readonly #options: MaintenanceOptions;
  readonly #running = new Set<RunningJob>();
  #flushing: Promise<void> | undefined;
  #merging: Promise<void> | undefined;
  #failure: DomainError | undefined;
  #isClosed = false;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
    options.generations.onComplete(() => this.wake());
  }

  /** Begins to flush the complete generations. */
  wake(): void {
    if (this.#isClosed || this.#failure !== undefined) return;
    this.#flushing ??= this.#guarded(() => this.#flushAll()).finally(() => (this.#flushing = undefined));
  }

  /** Resolves when no complete generation is left to flush; rejects if a flush fails. */
  async flushed(): Promise<void> {
    const { generations } = this.#options;
    while (generations.complete.length > 0) {
      this.wake();
      await generations.nextFlush();
    }
  }

  /** Merges all segments into one. Throws STORE_CORRUPT, without a merge, if one is known to be damaged. */
  async mergeAll(): Promise<void> {
    while (this.#merging !== undefined) await this.#merging;
    if (this.#options.segments.readers.length === 0) return;
    this.#refuseDamaged();
    await this.#startMerging(() => this.#tryMerge(0));
    this.#assertWorking();
    this.#refuseDamaged();
  }

  /**
   * Ends running jobs; resolves when none runs. Their output is removed by the next open.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.generations.stop(unavailableStore(CLOSED));
    await Promise.all([...this.#running].map((job) => job.cancel()));
    await this.#flushing;
    await this.#merging;
  }

  async #flushAll(): Promise<void> {
    const { generations } = this.#options;
    for (;;) {
      const { complete } = generations;
      if (complete.length === 0 || this.#isClosed) return;
      await this.#flush(complete);
      generations.flushed();
      void this.#startMerging(() => this.#mergePlanned());
    }
  }

  async #flush(complete: readonly LogGeneration[]): Promise<void> {
    const { files, segments, generations } = this.#options;
    const { directory } = files;
    const numbers = complete.flatMap((generation) => generation.walNumbers);
    const walFiles = numbers.map((number) => fileName('wal', number));
    const output = files.newName('segment');
    const { summary } = await this.#run({ kind: 'flush', directory, walFiles, output });
    const reader = await this.#openOutput(output, summary);
    const flushedSeq = Math.max(...complete.map((generation) => generation.memtable.lastSeq));
    const flushed = (current: Manifest): Manifest => ({
      ...current,
      segments: [...current.segments, ...entriesOf(output, summary)],
      first_wal: Math.max(...numbers) + 1,
      flushed_seq: Math.max(current.flushed_seq, flushedSeq),
    });
    await this.#change(reader, flushed, () => {
      if (reader !== undefined) segments.add(reader);
      generations.dropOldest(complete.length);
    });
    await files.remove(walFiles);
    this.#say('storage.flushed', { files: walFiles.length, segment: output, ...summary }, 'log flushed');
  }

  /** Excludes damaged segments: they are unreadable, and writers do not need the merge. */
  async #mergePlanned(): Promise<void> {
    for (;;) {
      const { segments } = this.#options;
      const first = segments.readers.findLastIndex(({ name }) => segments.isDamaged(name)) + 1;
      const from = planMerge(segments.readers.slice(first).map((reader) => reader.bytes));
      if (from === undefined || this.#isClosed) return;
      await this.#tryMerge(first + from);
    }
  }

  #refuseDamaged(): void {
    const { segments } = this.#options;
    const damaged = segments.readers.find(({ name }) => segments.isDamaged(name));
    if (damaged !== undefined) throw corruptStore(damaged.name, 0, 'damage');
  }

  /** A damaged input is not a write failure: the inputs stay as they are. */
  async #tryMerge(from: number): Promise<void> {
    try {
      await this.#merge(from);
    } catch (error) {
      const place = damageOf(error);
      if (place === undefined) throw error;
      this.#options.segments.noteDamage(place, reasonOf(error));
    }
  }

  /** Merges all segments from this position to the newest. */
  async #merge(from: number): Promise<void> {
    const { files, segments, clock } = this.#options;
    const { directory, manifest } = files;
    const inputs = segments.readers.slice(from);
    const names = inputs.map((reader) => reader.name);
    const output = files.newName('segment');
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
    await files.remove(names);
    this.#say(
      'storage.compacted',
      { inputs: names.length, older: from, segment: output, ...result.summary },
      'segments merged',
    );
  }

  async #openOutput(name: string, summary: SegmentSummary | undefined): Promise<SegmentReader | undefined> {
    if (summary === undefined) return undefined;
    const { disk, directory } = this.#options.files;
    return SegmentReader.open(disk, directory, name);
  }

  /** Changes the manifest; releases the new segment if that fails. */
  async #change(
    reader: SegmentReader | undefined,
    change: (manifest: Manifest) => Manifest,
    onChanged: () => void,
  ): Promise<void> {
    try {
      await this.#options.files.manifest.change(change, onChanged);
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

  /** Does nothing new while a merge runs: it continues until nothing is left to merge. */
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
      this.#failure = poisonedStore(error);
      this.#options.onFailure(error);
      this.#options.generations.stop(this.#failure);
    }
  }

  #assertWorking(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#isClosed) throw unavailableStore(CLOSED);
  }

  #say(event: string, fields: Readonly<Record<string, unknown>>, message: string): void {
    this.#options.files.log?.info({ event, ...fields }, message);
  }
}

function entriesOf(name: string, summary: SegmentSummary | undefined): SegmentEntry[] {
  if (summary === undefined) return [];
  const { bytes, records, minSeq, maxSeq } = summary;
  return [{ name, bytes, records, min_seq: minSeq, max_seq: maxSeq }];
}

/** Replaces `names`, which are neighbours, by `replacement`. */
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
