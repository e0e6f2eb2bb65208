/** Entry point of the low-priority thread of one job. */
import { NodeDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { giveWay, serveThread } from '#platform/threads';
import { damageOf, isFull, reasonOf } from '../store/store-error.ts';
import type { JobCalls } from './job-runners.ts';
import { runJob } from './job.ts';

const NICE = 10;

serveThread<JobCalls>(() => ({
  calls: {
    run: async (job) => {
      try {
        giveWay(NICE);
        return await runJob(new NodeDisk(), job);
      } catch (error) {
        throw failureOf(error);
      }
    },
  },
}));

function failureOf(error: unknown): DomainError {
  const damageAt = damageOf(error);
  if (isFull(error)) return new DomainError('NO_DISK_SPACE', reasonOf(error));
  if (damageAt === undefined) return new DomainError('STORE_UNAVAILABLE', reasonOf(error));
  return new DomainError('STORE_CORRUPT', reasonOf(error), { details: { ...damageAt } });
}
