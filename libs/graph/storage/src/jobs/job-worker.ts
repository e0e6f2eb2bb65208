/** The thread of one job. On Linux a thread has a priority of its own: foreground work goes first. */
import { platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { NodeDisk } from '#platform/disk';
import { damageOf, reasonOf } from '../store-error.ts';
import { runJob, type Job } from './job.ts';
import type { JobReply } from './worker-job-runner.ts';

const NICE = 10;

async function main(): Promise<JobReply> {
  try {
    if (platform() === 'linux') setPriority(0, NICE);
    return { ok: true, result: await runJob(new NodeDisk(), workerData as Job) };
  } catch (error) {
    return { ok: false, message: reasonOf(error), damageAt: damageOf(error) };
  }
}

parentPort?.postMessage(await main());
