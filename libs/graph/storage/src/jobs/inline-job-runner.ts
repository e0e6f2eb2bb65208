import type { Disk } from '#platform/disk';
import { JobRunner, type RunningJob } from './job-runner.port.ts';
import { runJob, type Job } from './job.ts';

/** Runs jobs on the calling thread, over any disk. A job that has begun runs to its end. */
export class InlineJobRunner extends JobRunner {
  readonly #disk: Disk;

  constructor(disk: Disk) {
    super();
    this.#disk = disk;
  }

  override start(job: Job): RunningJob {
    const result = runJob(this.#disk, job);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    return { result, cancel: () => settled };
  }
}
