import type { Job, JobResult } from './job.ts';

export interface RunningJob {
  /** Rejects with the job's error, unchanged or as text. */
  readonly result: Promise<JobResult>;
  /** Ends the job if possible; resolves when the job no longer touches any file. */
  cancel(): Promise<void>;
}

/** Runs flushes and merges. */
export abstract class JobRunner {
  abstract start(job: Job): RunningJob;
}
