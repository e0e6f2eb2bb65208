import type { Disk } from '#disk';
import { runJob, type Job } from './job.ts';
import { JobRunner, type RunningJob } from './job-runner.port.ts';

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
