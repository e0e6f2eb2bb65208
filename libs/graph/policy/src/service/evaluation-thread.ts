import { availableParallelism } from 'node:os';
import { Thread, workerUrl } from '#platform/threads';
import type { EvaluationWorker } from '../pool/evaluation-order.ts';
import type { PolicySettings } from './policy-settings.ts';

/** Creates threads for an `EvaluationPool` over snapshots of a graph. */
export function startEvaluationWorker(): EvaluationWorker {
  return new Thread({ url: workerUrl('evaluation-worker', import.meta.url) });
}

export function evaluationThreads({ ruleThreads }: Pick<PolicySettings, 'ruleThreads'>): number {
  return ruleThreads === 0 ? availableParallelism() : ruleThreads;
}
