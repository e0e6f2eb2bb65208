import { Gauge, type Registry } from 'prom-client';
import { systemNowUs, type Tally } from '#load/protocol';
import { VERDICT_STATES, verdictOfRun } from '#load/report';
import { evaluateThresholds } from '#load/scenario';
import { registerLoadSeries } from '#load/worker';
import { runRecord } from '../run/run-documents.ts';
import type { Run } from '../run/run.ts';

const US_PER_S = 1_000_000;
/** Edges report progress once a second: a shorter window shows the reports, not the rate. */
const WINDOW_US_MIN = 4 * US_PER_S;
const WINDOW_US_MAX = 60 * US_PER_S;

interface Sample {
  readonly atUs: number;
  readonly sent: number;
}

/** Transactions sent per second, computed from the counts at earlier calls. */
export class SentRate {
  #runId = '';
  #samples: Sample[] = [];

  /** 0 until two calls are at least four seconds apart. */
  of(runId: string, sent: number, nowUs: number): number {
    if (runId !== this.#runId) this.#samples = [];
    this.#runId = runId;
    this.#samples = this.#samples.filter(({ atUs }) => nowUs - atUs <= WINDOW_US_MAX);
    const before = this.#samples.findLast(({ atUs }) => nowUs - atUs >= WINDOW_US_MIN);
    this.#samples.push({ atUs: nowUs, sent });
    return before === undefined ? 0 : Math.max(0, sent - before.sent) / ((nowUs - before.atUs) / US_PER_S);
  }
}

const PREFIX = 'plexus_load_';
const STATUSES = ['Starting', 'Running', 'Completed', 'Failed'] as const;

/** Metrics of the load of the active or last run, read at each scrape. */
export function registerLoadMetrics(registry: Registry, latest: () => Run | undefined): void {
  registerLoadSeries(registry, PREFIX, {
    tally: () => tallyOf(latest()),
    targetRate: () => targetRate(latest(), systemNowUs()),
    latencies: (bounds) => {
      const buckets = latest()?.figures(systemNowUs()).buckets(bounds) ?? [];
      return new Map(
        Array.from(buckets, ([name, values]) => [name.replace(/_latency$/, ''), values] as const),
      );
    },
  });
  registerSentRate(registry, latest);
  registerStatus(registry, latest);
  registerVerdict(registry, latest);
  registerThresholds(registry, latest);
}

function tallyOf(run: Run | undefined): Partial<Tally> {
  return run?.figures(systemNowUs()).tally ?? {};
}

function registerSentRate(registry: Registry, latest: () => Run | undefined): void {
  const rate = new SentRate();
  new Gauge({
    name: `${PREFIX}sent_rate`,
    help: 'transactions sent per second, over the last seconds',
    registers: [registry],
    collect() {
      const run = latest();
      this.set(run === undefined ? 0 : rate.of(run.runId, tallyOf(run).sent ?? 0, systemNowUs()));
    },
  });
}

/** 0 outside of the stages, and without a run. */
function targetRate(run: Run | undefined, nowUs: number): number {
  const stage = run?.facts.endedAtUs === null ? run.facts.timeline?.stageAt(nowUs) : undefined;
  if (stage === undefined) return 0;
  const { from_us: fromUs, to_us: toUs, start_rate: startRate, end_rate: endRate } = stage;
  return startRate + ((endRate - startRate) * (nowUs - fromUs)) / (toUs - fromUs);
}

function registerStatus(registry: Registry, latest: () => Run | undefined): void {
  new Gauge({
    name: 'plexus_hive_run_status',
    help: '1 for the status of the active run, or of the last one',
    labelNames: ['status'],
    registers: [registry],
    collect() {
      const status = latest()?.state.status;
      for (const one of STATUSES) this.set({ status: one }, Number(one === status));
    },
  });
}

function registerVerdict(registry: Registry, latest: () => Run | undefined): void {
  new Gauge({
    name: 'plexus_hive_run_verdict',
    help: '1 for the verdict of the last run; all 0 while a run is active',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const run = latest();
      const verdict = run === undefined ? null : verdictOfRun(runRecord(run, systemNowUs()));
      for (const state of VERDICT_STATES) this.set({ state }, Number(state === verdict?.state));
    },
  });
}

const THRESHOLD_STATES = ['met', 'missed', 'unknown'] as const;

/** Without a measurement a threshold has no value and is neither met nor missed: it is unknown. */
function registerThresholds(registry: Registry, latest: () => Run | undefined): void {
  new Gauge({
    name: `${PREFIX}threshold_value`,
    help: 'value of each threshold of the active or last run, so far',
    labelNames: ['metric'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { metric, value } of measuredThresholds(latest())) this.set({ metric }, value);
    },
  });
  new Gauge({
    name: `${PREFIX}threshold_met`,
    help: '1 if the value of the threshold is within its bounds, so far; else 0',
    labelNames: ['metric'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { metric, isMet } of measuredThresholds(latest())) this.set({ metric }, Number(isMet));
    },
  });
  new Gauge({
    name: `${PREFIX}threshold_state`,
    help: '1 for the state of each threshold, so far: met, missed, or unknown without a measurement',
    labelNames: ['metric', 'state'],
    registers: [registry],
    collect() {
      this.reset();
      const run = latest();
      const measured = new Map(measuredThresholds(run).map(({ metric, isMet }) => [metric, isMet] as const));
      for (const { metric } of run?.thresholds ?? []) {
        const isMet = measured.get(metric);
        const actual = isMet === undefined ? 'unknown' : isMet ? 'met' : 'missed';
        for (const state of THRESHOLD_STATES) this.set({ metric, state }, Number(state === actual));
      }
    },
  });
}

interface MeasuredThreshold {
  readonly metric: string;
  readonly value: number;
  readonly isMet: boolean;
}

/** Two thresholds of one metric are one series: met if both are. */
function measuredThresholds(run: Run | undefined): readonly MeasuredThreshold[] {
  if (run === undefined) return [];
  const figures = run.figures(systemNowUs());
  const outcomes =
    run.facts.outcomes ?? evaluateThresholds(run.thresholds, (metric) => figures.valueOf(metric));
  const byMetric = new Map<string, MeasuredThreshold>();
  for (const { threshold, value, isMet } of outcomes) {
    const { metric } = threshold;
    const before = byMetric.get(metric)?.isMet ?? true;
    if (value !== null) byMetric.set(metric, { metric, value, isMet: before && isMet === true });
  }
  return [...byMetric.values()];
}
