/**
 * Reads all segments now and then, so that a damaged block is known while a backup still has it: blocks that
 * the image covers are read by nothing else until they are merged.
 *
 * 1. One round at a time, the first at once. A round is one job of a worker, at a bounded rate.
 * 2. What a round found stands until the next one has ended, or the segment is gone.
 */
import type { JobRunner, RunningJob } from './jobs/job-runner.port.ts';
import type { SegmentCheck } from './segment/segment-check.ts';
import type { SegmentSet } from './segment/segment-set.ts';
import { reasonOf } from './store/store-error.ts';
import type { StoreFiles } from './store/store-files.ts';

/** How often the segments are read, and how fast. */
export interface ScrubOptions {
  readonly everyMs: number;
  readonly bytesPerSecond: number;
}

export interface ScrubberOptions {
  readonly files: StoreFiles;
  readonly segments: SegmentSet;
  readonly jobs: JobRunner;
  /** Undefined: rounds are made when they are asked for, as fast as they go. */
  readonly scrub: ScrubOptions | undefined;
}

export class Scrubber {
  readonly #options: ScrubberOptions;
  #bytes = 0;
  #job: RunningJob | undefined;
  #round: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ScrubberOptions) {
    this.#options = options;
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

  /** Ends a round under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#job?.cancel();
    await this.#round;
  }

  async #run(): Promise<void> {
    const { files, jobs, segments, scrub } = this.#options;
    const names = segments.readers.map(({ name }) => name);
    if (names.length === 0 || this.#isClosed) return;
    const bytesPerSecond = scrub?.bytesPerSecond ?? Infinity;
    try {
      this.#job = jobs.start({
        kind: 'scrub',
        directory: files.directory,
        inputs: names,
        bytesPerSecond,
      });
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
    this.#options.files.log?.warn(fields, 'could not check the segments');
  }

  #record(checks: readonly SegmentCheck[]): void {
    const { files, segments } = this.#options;
    const bytes = checks.reduce((sum, check) => sum + check.bytes, 0);
    this.#bytes += bytes;
    segments.checked(checks.flatMap(({ damage }) => (damage === undefined ? [] : [damage])));
    const fields = { segments: checks.length, bytes, damaged: segments.damage.length };
    files.log?.info({ event: 'storage.scrubbed', ...fields }, 'checked the segments');
  }
}
