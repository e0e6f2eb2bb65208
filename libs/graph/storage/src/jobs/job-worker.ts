/** The thread of one job, at low priority. */
import { parentPort, workerData } from 'node:worker_threads';
import { NodeDisk } from '#platform/disk';
import { damageOf, reasonOf } from '../store-error.ts';
import { giveWay } from './give-way.ts';
import { runJob, type Job } from './job.ts';
import type { JobReply } from './worker-job-runner.ts';

const NICE = 10;

async function main(): Promise<JobReply> {
  try {
    giveWay(NICE);
    return { ok: true, result: await runJob(new NodeDisk(), workerData as Job) };
  } catch (error) {
    return { ok: false, message: reasonOf(error), damageAt: damageOf(error) };
  }
}

parentPort?.postMessage(await main());
