import { systemNowUs } from '#load/protocol';
import { headlineOf, type RunVerdict, verdictOfRun } from '#load/report';
import { fundingWei } from '#load/scenario';
import type { LatencySummary } from '../live/run-figures.ts';
import type { HiveRunRecord, TallyRecord } from '../record/run-record.ts';
import { isDegraded, type RunMember, waitingFor } from '../record/run-state.ts';
import { RunTimeline } from '../record/run-timeline.ts';
import type { WebhookState } from '../record/webhook-state.ts';
import type { Run } from './run.ts';

const US_PER_MS = 1_000;
const US_PER_S = 1_000_000;

/** A run in a list. */
export interface RunSummary {
  readonly run_id: string;
  readonly name: string;
  readonly status: string;
  readonly phase: string | null;
  readonly reason: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly is_degraded: boolean;
  /** The verdict with all reasons; null before the end. */
  readonly verdict: RunVerdict | null;
  /** The verdict in words. */
  readonly headline: string | null;
  /** Sent transactions per second of the measured stages; null before they begin. */
  readonly rate: number | null;
  /** The latency that a user notices, in ms: to the feed, else to the block, else to the answer. */
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
  /** From the first transaction to the end, or to now. */
  readonly duration_s: number | null;
}

/** A run in the HTTP API. */
export interface RunView extends RunSummary {
  /** The edges that have not acknowledged, while the run is Starting. */
  readonly waiting_for: readonly string[];
  readonly refusals: readonly { readonly edge_id: string; readonly code: string; readonly reason: string }[];
  readonly edges_min: number;
  readonly edges: readonly RunEdgeView[];
  /**
   * Time since the intended start of the first transaction; `planned_s` is the planned duration of the load.
   */
  readonly elapsed_s: number | null;
  readonly planned_s: number;
  readonly stage: string | null;
  /** The planned rate now, in transactions per second; null outside of the load, and in the closed model. */
  readonly target_rate: number | null;
  readonly rate_changes: readonly RateChangeView[];
  readonly funded: { readonly funded: number; readonly count: number } | null;
  /** Maximum cost to the funder in wei, including fees once they are known, and the budget. */
  readonly money: { readonly most_wei: string; readonly budget_wei: string | null } | null;
  readonly progress: TallyRecord;
  /** Counts of the stages that are not excluded. */
  readonly measured: TallyRecord;
  /** Known reasons for unsent transactions. */
  readonly not_sent: HiveRunRecord['not_sent'];
  /** Latencies in ms by name; empty after a restart of the hive, when only the report has them. */
  readonly latencies: Readonly<Record<string, LatencySummary>>;
  /** Violations so far, by check. */
  readonly violations: Readonly<Record<string, number>>;
  readonly thresholds: HiveRunRecord['thresholds'];
  readonly oracle: HiveRunRecord['oracle'];
  readonly findings: HiveRunRecord['findings'];
  /** The message about the end of the run; null without a webhook, and before the end. */
  readonly webhook: WebhookState | null;
}

/** A change of the rate; `edges` have applied it. */
export interface RateChangeView {
  readonly at: string;
  readonly rate: number;
  readonly edges: readonly string[];
}

export interface RunEdgeView {
  readonly edge_id: string;
  /** `waiting`, `acked` or `refused` while Starting; then its phase; after its end, its `MemberEnd`. */
  readonly state: string;
  readonly reason: string | null;
  /** No contact for 10 s, and not yet lost. */
  readonly is_silent: boolean;
  readonly sent: number;
}

/** @param run the run while it is active. */
export function runSummary(record: HiveRunRecord, run: Run | undefined): RunSummary {
  const { run_id, name, status, phase, reason, state } = record;
  const verdict = verdictOfRun(record);
  const isDegradedNow = isDegraded(state) || silentOf(record, run).size > 0;
  return {
    run_id,
    name,
    status,
    phase,
    reason,
    created_at: timeOf(record.created_at_us),
    started_at: record.started_at_us === null ? null : timeOf(record.started_at_us),
    ended_at: record.ended_at_us === null ? null : timeOf(record.ended_at_us),
    is_degraded: state.status !== 'Starting' && isDegradedNow,
    verdict,
    headline: verdict === null ? null : headlineOf(verdict),
    ...figuresOf(record, run),
  };
}

function figuresOf(
  record: HiveRunRecord,
  run: Run | undefined,
): Pick<RunSummary, 'rate' | 'p50_ms' | 'p99_ms' | 'duration_s'> {
  const { measured, started_at_us: startedAtUs, ended_at_us: endedAtUs } = record;
  const nowUs = systemNowUs();
  const untilUs = endedAtUs ?? nowUs;
  const latency = noticedLatency(run?.figures(nowUs).latencies() ?? record.latencies ?? {});
  const measuredUs = measuredUsOf(record, untilUs);
  return {
    rate: measuredUs === 0 ? null : (measured.sent * US_PER_S) / measuredUs,
    p50_ms: latency?.p50 ?? null,
    p99_ms: latency?.p99 ?? null,
    duration_s: startedAtUs === null ? null : Math.max(0, untilUs - startedAtUs) / US_PER_S,
  };
}

function noticedLatency(latencies: RunView['latencies']): LatencySummary | undefined {
  return latencies['feed_latency'] ?? latencies['block_latency'] ?? latencies['ack_latency'];
}

/** The time of the stages that are not excluded. */
function measuredUsOf({ stages }: HiveRunRecord, untilUs: number): number {
  const measured = stages.filter(({ is_excluded: isExcluded }) => !isExcluded);
  return measured.reduce((sum, { from_us: fromUs, to_us: toUs }) => {
    return sum + Math.max(0, Math.min(untilUs, toUs) - fromUs);
  }, 0);
}

/** @param run the run while it is active. */
export function runView(record: HiveRunRecord, run: Run | undefined, webhook: WebhookState | null): RunView {
  const { state, tally, measured, not_sent, thresholds, oracle, findings } = record;
  const sentBy = new Map(record.edges.map(({ edge_id: edgeId, tally: own }) => [edgeId, own.sent]));
  return {
    ...runSummary(record, run),
    waiting_for: waitingFor(state),
    refusals: refusalsOf(record),
    edges_min: state.rules.edgesMin,
    edges: state.members.map((member) => ({
      edge_id: member.edgeId,
      state: standOf(member, state.status === 'Starting'),
      reason: member.reason,
      is_silent: silentOf(record, run).has(member.edgeId),
      sent: sentBy.get(member.edgeId) ?? 0,
    })),
    ...timesOf(record, run),
    rate_changes: (record.rate_changes ?? []).map(({ at_us: atUs, rate, edges }) => ({
      at: timeOf(atUs),
      rate,
      edges: edges.map(({ edge_id: edgeId }) => edgeId),
    })),
    funded: run?.facts.funded ?? null,
    money: run === undefined ? null : moneyOf(run),
    progress: tally,
    measured,
    not_sent,
    latencies: run?.figures(systemNowUs()).latencies() ?? record.latencies ?? {},
    violations: run?.facts.violations ?? violationsOf(record),
    thresholds,
    oracle,
    findings,
    webhook,
  };
}

function moneyOf({ scenario, facts }: Run): RunView['money'] {
  const { accounts } = scenario;
  return {
    most_wei: String(facts.mostWei ?? fundingWei(accounts)),
    budget_wei: accounts.budget_wei ?? null,
  };
}

function silentOf({ state }: HiveRunRecord, run: Run | undefined): ReadonlySet<string> {
  return state.status === 'Running' && run !== undefined ? run.facts.silent : new Set();
}

function refusalsOf({ state }: HiveRunRecord): RunView['refusals'] {
  if (state.status !== 'Starting') return [];
  return state.members.flatMap(({ edgeId, answer }) =>
    answer.kind === 'refused' ? { edge_id: edgeId, code: answer.code, reason: answer.reason } : [],
  );
}

function standOf({ answer, phase, end }: RunMember, isStarting: boolean): string {
  if (isStarting) return answer.kind === 'none' ? 'waiting' : answer.kind;
  return end ?? phase ?? 'acked';
}

function timesOf(
  { started_at_us: startedAtUs, ended_at_us: endedAtUs, stages, phase }: HiveRunRecord,
  run: Run | undefined,
): Pick<RunView, 'elapsed_s' | 'planned_s' | 'stage' | 'target_rate'> {
  const nowUs = systemNowUs();
  const isLoad = phase === 'warmup' || phase === 'steady';
  const elapsedUs = startedAtUs === null ? null : Math.max(0, (endedAtUs ?? nowUs) - startedAtUs);
  const plannedUs = startedAtUs === null ? plannedUsOf(run) : (stages.at(-1)?.to_us ?? 0) - startedAtUs;
  return {
    elapsed_s: elapsedUs === null ? null : elapsedUs / US_PER_S,
    planned_s: plannedUs / US_PER_S,
    stage: isLoad ? stageNow(run, nowUs) : null,
    target_rate: isLoad ? rateNow(run, nowUs) : null,
  };
}

function stageNow(run: Run | undefined, nowUs: number): string | null {
  return run?.facts.timeline?.stageAt(nowUs)?.name ?? null;
}

function rateNow(run: Run | undefined, nowUs: number): number | null {
  if (run === undefined || run.scenario.load.model === 'closed') return null;
  const { timeline, rates, startedAtUs } = run.facts;
  const isLoad = timeline?.stageAt(nowUs) !== undefined;
  const changed = rates.findLast(({ atMs }) => (startedAtUs ?? 0) + atMs * US_PER_MS <= nowUs);
  return isLoad && changed !== undefined ? changed.rate : (timeline?.rateAt(nowUs) ?? null);
}

function plannedUsOf(run: Run | undefined): number {
  return run === undefined ? 0 : new RunTimeline(run.scenario, 0).endUs;
}

function violationsOf({ oracle }: HiveRunRecord): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(oracle).map(([check, verdict]) => [check, verdict.violation_count]),
  );
}

function timeOf(us: number): string {
  return new Date(us / US_PER_MS).toISOString();
}
