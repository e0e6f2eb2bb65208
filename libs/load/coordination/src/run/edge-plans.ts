import {
  readUrlsOf,
  type ResolvedStage,
  resolveStages,
  type Scenario,
  sendUrlsOf,
  shareOfStages,
  shareOfTotal,
} from '#load/scenario';
import { type EdgePlan, type LoadStage, scheduleLengths, uniformPhase } from '#load/worker';
import { type AccountPartition, partitionAccounts } from '../edge/account-partition.ts';
import type { PlannedStage } from '../live/edge-part.ts';
import { contractPlans, expressLanePlan, mixEntry, readPlans } from './contract-plans.ts';
import { changesOn } from './rate-changes.ts';
import type { Run } from './run.ts';

const INTERVAL_MS = 1_000;
const SEEDS = 2 ** 32;

/** The inputs of the plans, apart from the set of edges. */
export interface PlanFacts {
  readonly runId: string;
  readonly scenario: Scenario;
  readonly randomSeed: number;
  readonly firstAccount: number;
  /** Null if the run needs no funder. */
  readonly funderAddress: string | null;
}

/** An edge's share of a run; `plan` is undefined if the edge has no accounts or no users. */
export interface EdgeShare {
  readonly partition: AccountPartition;
  readonly plan: EdgePlan | undefined;
}

/** Divides a run among the edges, in their order. */
export function shareOut(facts: PlanFacts, edgeIds: readonly string[]): readonly EdgeShare[] {
  const { accounts, load, mix } = facts.scenario;
  const partitions = partitionAccounts(edgeIds, { first: facts.firstAccount, count: accounts.count });
  const count = edgeIds.length;
  // The interfaces of contracts are read once, not for each edge.
  const same: SamePlan = {
    stages: shareOfStages(resolveStages(load), count).map(loadStage),
    mix: mix.map((entry) => mixEntry(entry, facts.scenario)),
    contracts: contractPlans(facts.scenario),
    reads: readPlans(facts.scenario, count),
    expressLane: expressLanePlan(facts.scenario, count),
  };
  return partitions.map((partition, index) => {
    const share = { index, count };
    const isEmpty = partition.count === 0 || usersOf(facts.scenario, share) === 0;
    return { partition, plan: isEmpty ? undefined : planOf(facts, partition, share, same) };
  });
}

/**
 * The planned transactions of each edge by stage, derived only from the scenario, the seed and the changes of
 * the rate. Null in the closed model, and on abort.
 */
export async function drawSchedule(
  run: Run,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly PlannedStage[]> | null> {
  const { runId, scenario, randomSeed, firstAccount, state } = run;
  // The funder does not influence the schedule.
  const facts = { runId, scenario, randomSeed, firstAccount, funderAddress: null };
  const edgeIds = state.members.map(({ edgeId }) => edgeId);
  const stages = resolveStages(scenario.load);
  const schedule = new Map<string, readonly PlannedStage[]>();
  for (const { partition, plan } of shareOut(facts, edgeIds)) {
    const { edgeId } = partition;
    const end = state.members.find((member) => member.edgeId === edgeId)?.end ?? null;
    const isLost = end !== null && end !== 'done';
    const changes = changesOn(run.facts.rates, run.progressOf(edgeId) ?? {}, isLost).map(({ atMs, rate }) => {
      return { atMs, rate: rate / edgeIds.length };
    });
    const lengths = plan === undefined ? [] : await scheduleLengths(plan, changes, signal);
    if (lengths === null) return null;
    schedule.set(
      partition.edgeId,
      lengths.map((planned, at) => ({ planned, isExcluded: stages[at]?.isExcluded === true })),
    );
  }
  return schedule;
}

interface Share {
  readonly index: number;
  readonly count: number;
}

/** What the plans of all edges have in common. */
type SamePlan = Pick<EdgePlan, 'mix' | 'contracts' | 'reads' | 'expressLane'> &
  Pick<EdgePlan['load'], 'stages'>;

function planOf(
  { runId, scenario, randomSeed, funderAddress }: PlanFacts,
  { edgeId, first, count }: AccountPartition,
  share: Share,
  { stages, ...same }: SamePlan,
): EdgePlan {
  const { target, accounts, load, fees, correlation } = scenario;
  return {
    runId,
    edgeId,
    seed: keySource(accounts),
    chainId: target.chain_id,
    rpcUrls: sendUrlsOf(target),
    readUrls: readUrlsOf(target),
    headers: target.headers,
    feedUrl: target.feed_url ?? 'ws://off',
    feedSigner: target.feed_signer,
    rpcTimeoutMs: target.rpc_timeout_ms,
    accounts: {
      first,
      count,
      inflightPerAccount: accounts.inflight_per_account,
      fundWei: accounts.fund_wei,
      funder: funderAddress === null ? null : { address: funderAddress },
      reclaim: accounts.reclaim,
      total: accounts.count,
    },
    load: {
      model: load.model,
      stages,
      arrival: load.arrival,
      ...(load.arrival === 'uniform' && { phase: uniformPhase(randomSeed, share.index, share.count) }),
      maxInflight: Math.max(1, shareOfTotal(load.max_inflight, share.index, share.count)),
      users: usersOf(scenario, share),
    },
    ...same,
    fees: {
      maxFeeMultiplier: fees.max_fee_multiplier,
      gasLimit: fees.gas_limit,
      priorityFeeWei: fees.priority_fee_wei,
    },
    correlation: { timeoutMs: correlation.timeout, feed: correlation.feed },
    randomSeed: (randomSeed + share.index) % SEEDS,
    telemetry: { intervalMs: INTERVAL_MS },
  };
}

function keySource({
  seed_env: env,
  mnemonic_env: mnemonic,
  keys_env: keys,
}: Scenario['accounts']): EdgePlan['seed'] {
  if (mnemonic !== undefined) return { mnemonic };
  if (keys !== undefined) return { keys };
  return env === undefined ? { fixed: 'development' } : { env };
}

/** Undefined in the open model. */
function usersOf({ load }: Scenario, { index, count }: Share): number | undefined {
  return load.users === undefined ? undefined : shareOfTotal(load.users, index, count);
}

function loadStage({ name, durationMs, startRate, endRate, isExcluded }: ResolvedStage): LoadStage {
  return { name, durationMs, startRate, endRate, exclude: isExcluded };
}
