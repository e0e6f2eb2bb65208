import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DomainError } from '#platform/foundation';
import type { DamagePlace } from '../store-error.ts';
import { JobRunner, type RunningJob } from './job-runner.port.ts';
import type { Job, JobResult } from './job.ts';

/** What the worker says at its end. */
export type JobReply =
  | { readonly ok: true; readonly result: JobResult }
  | { readonly ok: false; readonly message: string; readonly damageAt: DamagePlace | undefined };

const WORKER_URL = new URL('./job-worker' + extname(import.meta.url), import.meta.url);

/** Runs each job in a thread of its own, at low priority, over the machine's file system. */
export class WorkerJobRunner extends JobRunner {
  override start(job: Job): RunningJob {
    const worker = new Worker(WORKER_URL, { workerData: job });
    const result = new Promise<JobResult>((resolve, reject) => {
      worker.once('message', (reply: JobReply) => {
        if (reply.ok) resolve(reply.result);
        else reject(errorOf(reply.message, reply.damageAt));
      });
      worker.once('error', reject);
      worker.once('exit', () => {
        reject(new DomainError('STORE_UNAVAILABLE', `a ${job.kind} ended without a result`));
      });
    });
    return {
      result,
      cancel: async () => {
        await worker.terminate();
      },
    };
  }
}

function errorOf(message: string, damageAt: DamagePlace | undefined): DomainError {
  if (damageAt === undefined) return new DomainError('STORE_UNAVAILABLE', message);
  return new DomainError('STORE_CORRUPT', message, { details: { ...damageAt } });
}
