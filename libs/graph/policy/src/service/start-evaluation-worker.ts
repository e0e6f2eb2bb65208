import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PolicySettings } from './policy-settings.ts';

const WORKER_URL = new URL(`./evaluation-worker${extname(import.meta.url)}`, import.meta.url);

/** For an `EvaluationPool` over snapshots of a graph. */
export function startEvaluationWorker(): Worker {
  return new Worker(WORKER_URL);
}

export function evaluationThreads({ ruleThreads }: Pick<PolicySettings, 'ruleThreads'>): number {
  return ruleThreads === 0 ? availableParallelism() : ruleThreads;
}
