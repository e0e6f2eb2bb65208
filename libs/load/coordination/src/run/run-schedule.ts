import { resolveStages } from '#load/scenario';
import { scheduleLengths } from '#load/worker';
import type { PlannedStage } from '../live/edge-part.ts';
import { shareOut } from './edge-plans.ts';
import type { RunData } from './run-data.ts';

/** Of nobody: who funds the accounts has no part in when they send. */
const NO_FUNDER = `0x${'0'.repeat(40)}`;

/**
 * What the load of a run asks of each edge, stage by stage, by edge: drawn from the scenario and the seed
 * alone. Null in the closed model, and when it is aborted.
 */
export async function drawSchedule(
  { runId, scenario, randomSeed, state }: RunData,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly PlannedStage[]> | null> {
  const facts = { runId, scenario, randomSeed, funderAddress: NO_FUNDER };
  const edgeIds = state.members.map(({ edgeId }) => edgeId);
  const stages = resolveStages(scenario.load);
  const schedule = new Map<string, readonly PlannedStage[]>();
  for (const { partition, plan } of shareOut(facts, edgeIds)) {
    const lengths = plan === undefined ? [] : await scheduleLengths(plan, signal);
    if (lengths === null) return null;
    schedule.set(
      partition.edgeId,
      lengths.map((planned, at) => ({ planned, isExcluded: stages[at]?.isExcluded === true })),
    );
  }
  return schedule;
}
