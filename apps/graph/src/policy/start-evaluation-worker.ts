import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

const WORKER_URL = new URL(`./evaluation-worker${extname(import.meta.url)}`, import.meta.url);

/** For an `EvaluationPool` over snapshots of a graph. */
export function startEvaluationWorker(): Worker {
  return new Worker(WORKER_URL);
}
