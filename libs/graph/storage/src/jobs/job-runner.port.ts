import type { Job, JobResult } from './job.ts';

export interface RunningJob {
  /** Rejects with the job's error, as it was or as text. */
  readonly result: Promise<JobResult>;
  /** Ends it where that is possible, and resolves when it touches nothing any more. */
  cancel(): Promise<void>;
}

/** Where flushes and merges run. */
export abstract class JobRunner {
  abstract start(job: Job): RunningJob;
}
