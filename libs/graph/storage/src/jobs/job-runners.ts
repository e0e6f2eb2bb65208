import type { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { Thread, workerUrl } from '#platform/threads';
import { JobRunner, type RunningJob } from './job-runner.port.ts';
import { type Job, type JobResult, runJob } from './job.ts';

export interface JobCalls {
  /** Rejects with STORE_CORRUPT and the position of the damage, NO_DISK_SPACE, or STORE_UNAVAILABLE. */
  run(job: Job): JobResult;
}

/** Runs each job in its own low-priority thread, on the machine's file system. */
export class WorkerJobRunner extends JobRunner {
  override start(job: Job): RunningJob {
    const thread = new Thread<JobCalls>({
      url: workerUrl('job-worker', import.meta.url),
      endedError: () => new DomainError('STORE_UNAVAILABLE', `a ${job.kind} ended without a result`),
    });
    const result = thread.call('run', [job]).finally(() => thread.close());
    return { result, cancel: () => thread.terminate() };
  }
}

/** Runs jobs on the calling thread, on any disk. A started job runs to its end. */
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
