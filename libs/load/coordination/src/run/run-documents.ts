import { cpus, hostname, totalmem } from 'node:os';
import { CHECKS } from '#load/oracle';
import type { RunRateChange, RunSetup } from '#load/report';
import type { ClockOffset, EdgeProgress, Tally } from '#load/protocol';
import { parseScenario, scenarioDocument, type TargetUrls, type ThresholdOutcome } from '#load/scenario';
import { VERSION } from '#platform/foundation';
import {
  type EdgeRecord,
  RUN_RECORD_FORMAT,
  type HiveRunRecord,
  tallyOf,
  tallyRecord,
  type ThresholdRecord,
  type VerdictRecord,
} from '../record/run-record.ts';
import { isEnded, type RunMember } from '../record/run-state.ts';
import { ratesIn } from './rate-changes.ts';
import type { Participant } from './run-event.ts';
import { Run } from './run.ts';

const US_PER_MS = 1_000;

/** The current record of a run, for `run.json`. */
export function runRecord(run: Run, nowUs: number): HiveRunRecord {
  const { scenario, state } = run;
  const { status, phase, ending } = state;
  const figures = run.figures(nowUs);
  return {
    format: RUN_RECORD_FORMAT,
    run_id: run.runId,
    name: scenario.name,
    status,
    phase,
    reason: ending?.reason ?? null,
    random_seed: run.randomSeed,
    first_account: run.firstAccount,
    created_at_us: run.createdAtUs,
    started_at_us: run.facts.startedAtUs,
    ended_at_us: isEnded(state) ? run.facts.endedAtUs : null,
    hive: hiveFacts(),
    scenario: scenarioDocument(scenario),
    stages: run.facts.timeline?.stages ?? [],
    rate_changes: rateRecords(run),
    findings: run.facts.findings,
    edges: state.status === 'Starting' ? [] : edgeRecords(run),
    tally: tallyRecord(figures.tally),
    measured: tallyRecord(figures.measured),
    not_sent: run.notSent(),
    ...(isEnded(state) && { latencies: figures.latencies() }),
    setup: setupRecords(run),
    thresholds: thresholdRecords(run),
    oracle: verdictRecords(run),
    parts: run.facts.parts.map(({ footerCrc, ...part }) => ({ ...part, footer_crc: footerCrc })),
    state,
  };
}

/**
 * A run left by another process, with the URLs that its record omits. The edges must report their progress
 * again.
 */
export function restoredRun(
  record: HiveRunRecord,
  { urls, leadMs }: { readonly urls?: TargetUrls | undefined; readonly leadMs?: number } = {},
): Run {
  const scenario = parseScenario(record.scenario);
  const beginning = {
    runId: record.run_id,
    scenario: urls === undefined ? scenario : { ...scenario, target: { ...scenario.target, ...urls } },
    randomSeed: record.random_seed,
    createdAtUs: record.created_at_us,
    firstAccount: record.first_account ?? 0,
    ...(leadMs !== undefined && { leadMs }),
  };
  const { rates, appliedBy } = ratesIn(record.rate_changes ?? [], record.started_at_us);
  return new Run(beginning, {
    state: record.state,
    rates,
    startedAtUs: record.started_at_us,
    participants: new Map(record.edges.map((edge) => [edge.edge_id, participantOf(edge)])),
    findings: record.findings,
    clocks: new Map(record.edges.flatMap(clockOf)),
    progress: new Map(
      record.edges.map((edge) => {
        const progress = { ...progressOf(record.run_id, edge), rates: appliedBy(edge.edge_id) };
        return [edge.edge_id, progress];
      }),
    ),
  });
}

function clockOf({
  edge_id: edgeId,
  clock_offset_us: offsetUs,
  clock_error_us: errorUs,
}: EdgeRecord): readonly (readonly [string, ClockOffset])[] {
  return offsetUs === null || errorUs === null ? [] : [[edgeId, { offsetUs, errorUs }]];
}

function progressOf(runId: string, edge: EdgeRecord): EdgeProgress {
  return { runId, phase: 'running', reason: '', ...saidBy(edge), histograms: {} };
}

function participantOf(edge: EdgeRecord): Participant {
  const { edge_id: edgeId, instance_id: instanceId, version, hostname: host, labels, workers, cores } = edge;
  const identity = { edgeId, instanceId, version, hostname: host, labels, workers, cores };
  return {
    registration: { ...identity, fence: 0, registeredAtUs: 0, formerInstances: [] },
    partition: { edgeId, first: edge.first_account, count: edge.account_count },
  };
}

function setupRecords({ facts }: Run): readonly RunSetup[] {
  return (facts.made?.records ?? []).map(({ what, address, receipt, result }) => ({
    what,
    address,
    hash: receipt?.hash ?? null,
    block_number: receipt?.blockNumber ?? null,
    gas_used: receipt?.gasUsed ?? null,
    result,
  }));
}

/** The changes of the rate for run.json, with the edges that applied them. */
export function rateRecords(run: Run): readonly RunRateChange[] {
  const { rates, startedAtUs } = run.facts;
  const usOf = (atMs: number): number => (startedAtUs ?? 0) + Math.round(atMs * US_PER_MS);
  // Members are in the order in which they came.
  const edgeIds = run.state.members.map(({ edgeId }) => edgeId).sort();
  return rates.map(({ atMs, rate }, index) => ({
    at_us: usOf(atMs),
    rate,
    edges: edgeIds.flatMap((edgeId) => {
      const applied = run.progressOf(edgeId)?.rates?.find(({ number }) => number === index + 1);
      if (applied === undefined || !Number.isFinite(applied.atMs)) return [];
      return [{ edge_id: edgeId, at_us: usOf(Math.max(atMs, applied.atMs)) }];
    }),
  }));
}

let knownFacts: HiveRunRecord['hive'] | undefined;

/** Cached: `cpus()` takes milliseconds. */
function hiveFacts(): HiveRunRecord['hive'] {
  return (knownFacts ??= factsOfSystem());
}

function factsOfSystem(): HiveRunRecord['hive'] {
  const processors = cpus();
  return {
    version: VERSION,
    hostname: hostname(),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    cores: processors.length,
    cpu: processors[0]?.model.trim() ?? '',
    memory_bytes: totalmem(),
  };
}

function edgeRecords(run: Run): readonly EdgeRecord[] {
  return run.state.members.flatMap((member) => {
    const participant = run.facts.participants.get(member.edgeId);
    return participant === undefined ? [] : [edgeRecord(run, member, participant)];
  });
}

function edgeRecord(
  run: Run,
  { edgeId, instanceId, end, reason }: RunMember,
  { registration, partition }: Participant,
): EdgeRecord {
  const { version, hostname: host, workers, cores, labels } = registration;
  const clock = run.facts.clocks.get(edgeId);
  const part = run.partOf(edgeId);
  return {
    edge_id: edgeId,
    instance_id: instanceId,
    version,
    hostname: host,
    workers,
    cores,
    labels,
    first_account: partition.first,
    account_count: partition.count,
    end,
    reason,
    clock_offset_us: clock === undefined ? null : Math.round(clock.offsetUs),
    clock_error_us: clock === undefined ? null : Math.round(clock.errorUs),
    tally: tallyRecord(part.tally),
    measured: tallyRecord(part.measured),
    left_out: { count: part.leftOut, measured: part.leftOutMeasured },
  };
}

/** The counts as reported by the edge, without `left_out`. */
function saidBy({ tally, measured, left_out: left }: Partial<EdgeRecord>): { tally: Tally; measured: Tally } {
  const less = (counts: Tally, count = 0): Tally => {
    return { ...counts, planned: counts.planned - count, notSent: counts.notSent - count };
  };
  return {
    tally: less(tallyOf(tally ?? {}), left?.count),
    measured: less(tallyOf(measured ?? tally ?? {}), left?.measured),
  };
}

/** The thresholds with their measured values, which are null before the end. */
export function thresholdRecords(run: Run): readonly ThresholdRecord[] {
  const outcomes: readonly Partial<ThresholdOutcome>[] = run.facts.outcomes ?? [];
  return run.thresholds.map(({ metric, min, max, abort_on_fail: aborts, after, isDefault }, i) => ({
    metric,
    min: min ?? null,
    max: max ?? null,
    value: outcomes[i]?.value ?? null,
    is_met: outcomes[i]?.isMet ?? null,
    is_default: isDefault,
    abort_on_fail: aborts,
    after_ms: after,
  }));
}

/** The threshold outcomes of the record: they cannot be recomputed, as a record contains no latencies. */
export function outcomesOf(record: HiveRunRecord, { thresholds }: Run): readonly ThresholdOutcome[] {
  return thresholds.map((threshold, i) => {
    const { value = null, is_met: isMet = null } = record.thresholds[i] ?? {};
    return { threshold, value, isMet };
  });
}

/** The verdicts without their evidence, which is in the Parquet files. */
export function verdictRecords(run: Run): Readonly<Record<string, VerdictRecord>> {
  const entries = CHECKS.flatMap((check) => {
    const found = run.verdicts?.[check];
    if (found === undefined) return [];
    const { verdict, coverage, violationCount, gaps } = found;
    const kinds = run.kindsOf(check);
    return [[check, { verdict, coverage, violation_count: violationCount, gaps, kinds }] as const];
  });
  return Object.fromEntries(entries);
}
