/**
 * Reads all segments now and then, so that a damaged block is known while a backup still has it: blocks that
 * the image covers are read by nothing else until they are merged.
 *
 * 1. One round at a time, the first at once. A round is one job of a worker, at a bounded rate.
 * 2. What a round found stands until the next one has ended, or the segment is gone.
 */
import type { JobRunner, RunningJob } from './jobs/job-runner.port.ts';
import type { SegmentCheck, SegmentDamage } from './segment/segment-check.ts';
import type { SegmentSet } from './segment/segment-set.ts';
import type { StorageLog } from './store/storage.port.ts';
import { type DamagePlace, reasonOf } from './store/store-error.ts';

/** How often the segments are read, and how fast. */
export interface ScrubOptions {
  readonly everyMs: number;
  readonly bytesPerSecond: number;
}

export interface ScrubberOptions {
  readonly directory: string;
  readonly jobs: JobRunner;
  readonly log?: StorageLog;
  readonly segments: SegmentSet;
  readonly scrub?: ScrubOptions;
}

export class Scrubber {
  readonly #options: ScrubberOptions;
  #found: readonly SegmentDamage[] = [];
  #bytes = 0;
  #job: RunningJob | undefined;
  #round: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ScrubberOptions) {
    this.#options = options;
  }

  /** Of the segments that are in use. */
  get damage(): readonly SegmentDamage[] {
    return this.#found.filter(({ file }) => this.#isUsed(file));
  }

  /** Bytes of blocks read since the open. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Begins the rounds, if any are wanted. */
  start(): void {
    const { scrub } = this.#options;
    if (scrub === undefined) return;
    this.#timer = setInterval(() => void this.round(), scrub.everyMs).unref();
    void this.round();
  }

  /** Reads all segments once; joins a round under way. Never rejects: a round that fails is logged. */
  round(): Promise<void> {
    this.#round ??= this.#run().finally(() => (this.#round = undefined));
    return this.#round;
  }

  /** What somebody else met. A block of a segment that is known already adds nothing. */
  note(place: DamagePlace, reason: string): void {
    if (this.#found.some(({ file }) => file === place.file)) return;
    const damage = { ...place, reason, blocks: 1 };
    this.#found = [...this.#found, damage];
    this.#tell(damage);
  }

  /** Ends a round under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#job?.cancel();
    await this.#round;
  }

  async #run(): Promise<void> {
    const { directory, jobs, segments, scrub } = this.#options;
    const names = segments.readers.map(({ name }) => name);
    if (names.length === 0 || this.#isClosed) return;
    const bytesPerSecond = scrub?.bytesPerSecond ?? Infinity;
    try {
      this.#job = jobs.start({ kind: 'scrub', directory, inputs: names, bytesPerSecond });
      const { checks = [] } = await this.#job.result;
      this.#record(checks);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#job = undefined;
    }
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    const fields = { event: 'storage.scrub_failed', reason: reasonOf(error) };
    this.#options.log?.warn(fields, 'could not check the segments');
  }

  #record(checks: readonly SegmentCheck[]): void {
    this.#found = checks.flatMap(({ damage }) => (damage === undefined ? [] : [damage]));
    const bytes = checks.reduce((sum, check) => sum + check.bytes, 0);
    this.#bytes += bytes;
    for (const damage of this.damage) this.#tell(damage);
    const fields = { segments: checks.length, bytes, damaged: this.damage.length };
    this.#options.log?.info({ event: 'storage.scrubbed', ...fields }, 'checked the segments');
  }

  #tell(damage: SegmentDamage): void {
    this.#options.log?.error(
      { event: 'storage.damaged', ...damage },
      'a segment is damaged: restore a backup',
    );
  }

  /** A segment that was merged meanwhile is missing rightly; what came of it was read for that. */
  #isUsed(file: string): boolean {
    return this.#options.segments.readers.some(({ name }) => name === file);
  }
}
