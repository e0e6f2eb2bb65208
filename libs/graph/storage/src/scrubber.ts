/**
 * Reads all segments periodically, to find a damaged block while a backup still has it: blocks covered by the
 * image are otherwise not read before their merge.
 *
 * 1. One round at a time, the first at once. A round is one worker job, at a bounded rate.
 * 2. The damage found by a round is reported until the next round has ended, or the segment is removed.
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
  /** Undefined: rounds run only on request, at full speed. */
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

  /** Bytes of blocks read since open. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Begins the periodic rounds, if configured. */
  start(): void {
    const { scrub } = this.#options;
    if (scrub === undefined) return;
    this.#timer = setInterval(() => void this.round(), scrub.everyMs).unref();
    void this.round();
  }

  /** Reads all segments once; joins a running round. Never rejects: a failed round is logged. */
  round(): Promise<void> {
    this.#round ??= this.#run().finally(() => (this.#round = undefined));
    return this.#round;
  }

  /** Ends a running round. */
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
    this.#options.files.log?.warn(fields, 'check of the segments failed');
  }

  #record(checks: readonly SegmentCheck[]): void {
    const { files, segments } = this.#options;
    const bytes = checks.reduce((sum, check) => sum + check.bytes, 0);
    this.#bytes += bytes;
    segments.checked(checks.flatMap(({ damage }) => (damage === undefined ? [] : [damage])));
    const fields = { segments: checks.length, bytes, damaged: segments.damage.length };
    files.log?.info({ event: 'storage.scrubbed', ...fields }, 'segments checked');
  }
}
