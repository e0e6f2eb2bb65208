import { Gauge, type Registry } from 'prom-client';
import { systemNowUs, type Tally } from '#load/protocol';
import { VERDICT_STATES, verdictOfRun } from '#load/report';
import { evaluateThresholds } from '#load/scenario';
import { type LabelledLoad, registerLoadSeries } from '#load/worker';
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
  #samples: Sample[] = [];

  /** 0 until two calls are at least four seconds apart. */
  of(sent: number, nowUs: number): number {
    this.#samples = this.#samples.filter(({ atUs }) => nowUs - atUs <= WINDOW_US_MAX);
    const before = this.#samples.findLast(({ atUs }) => nowUs - atUs >= WINDOW_US_MIN);
    this.#samples.push({ atUs: nowUs, sent });
    return before === undefined ? 0 : Math.max(0, sent - before.sent) / ((nowUs - before.atUs) / US_PER_S);
  }
}

const PREFIX = 'plexus_load_';
const STATUSES = ['Starting', 'Running', 'Completed', 'Failed'] as const;

/** The runs of the series. */
type ShownRuns = () => readonly Run[];

/** A run with the labels of its series. */
interface LabelledRun {
  readonly labels: LabelledLoad['labels'];
  /** Undefined before the first run, whose series are 0 and without the label. */
  readonly run: Run | undefined;
}

/**
 * Metrics of the load of the active runs, and of those that have ended since the latest one began, read at
 * each scrape.
 */
export function registerLoadMetrics(registry: Registry, runs: ShownRuns): void {
  registerLoadSeries(registry, PREFIX, () =>
    labelled(runs()).map(({ labels, run }) => ({
      labels,
      tally: () => tallyOf(run),
      targetRate: () => targetRate(run, systemNowUs()),
      latencies: (bounds) => {
        const buckets = run?.figures(systemNowUs()).buckets(bounds) ?? [];
        return new Map(
          Array.from(buckets, ([name, values]) => [name.replace(/_latency$/, ''), values] as const),
        );
      },
    })),
  );
  registerSentRate(registry, runs);
  registerStatus(registry, runs);
  registerVerdict(registry, runs);
  registerThresholds(registry, runs);
}

function labelled(runs: readonly Run[]): readonly LabelledRun[] {
  if (runs.length === 0) return [{ labels: {}, run: undefined }];
  return runs.map((run) => ({ labels: { run_id: run.runId }, run }));
}

function tallyOf(run: Run | undefined): Partial<Tally> {
  return run?.figures(systemNowUs()).tally ?? {};
}

function registerSentRate(registry: Registry, runs: ShownRuns): void {
  let rates = new Map<string | undefined, SentRate>();
  new Gauge({
    name: `${PREFIX}sent_rate`,
    help: 'transactions sent per second, over the last seconds',
    labelNames: ['run_id'],
    registers: [registry],
    collect() {
      this.reset();
      const shown = labelled(runs());
      rates = new Map(shown.map(({ run }) => [run?.runId, rates.get(run?.runId) ?? new SentRate()]));
      for (const { labels, run } of shown)
        this.set(labels, rates.get(run?.runId)?.of(tallyOf(run).sent ?? 0, systemNowUs()) ?? 0);
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

function registerStatus(registry: Registry, runs: ShownRuns): void {
  new Gauge({
    name: 'plexus_hive_run_status',
    help: '1 for the status of each active run, or of the last one',
    labelNames: ['status', 'run_id'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, run } of labelled(runs())) {
        for (const status of STATUSES) this.set({ status, ...labels }, Number(status === run?.state.status));
      }
    },
  });
}

function registerVerdict(registry: Registry, runs: ShownRuns): void {
  new Gauge({
    name: 'plexus_hive_run_verdict',
    help: '1 for the verdict of the last run; all 0 while the run is active',
    labelNames: ['state', 'run_id'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, run } of labelled(runs())) {
        const verdict = run === undefined ? null : verdictOfRun(runRecord(run, systemNowUs()));
        for (const state of VERDICT_STATES) this.set({ state, ...labels }, Number(state === verdict?.state));
      }
    },
  });
}

const THRESHOLD_STATES = ['met', 'missed', 'unknown'] as const;

/** Without a measurement a threshold has no value and is neither met nor missed: it is unknown. */
function registerThresholds(registry: Registry, runs: ShownRuns): void {
  new Gauge({
    name: `${PREFIX}threshold_value`,
    help: 'value of each threshold of the active or last run, so far',
    labelNames: ['metric', 'run_id'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, run } of labelled(runs())) {
        for (const { metric, value } of measuredThresholds(run)) this.set({ metric, ...labels }, value);
      }
    },
  });
  new Gauge({
    name: `${PREFIX}threshold_met`,
    help: '1 if the value of the threshold is within its bounds, so far; else 0',
    labelNames: ['metric', 'run_id'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, run } of labelled(runs())) {
        for (const { metric, isMet } of measuredThresholds(run))
          this.set({ metric, ...labels }, Number(isMet));
      }
    },
  });
  new Gauge({
    name: `${PREFIX}threshold_state`,
    help: '1 for the state of each threshold, so far: met, missed, or unknown without a measurement',
    labelNames: ['metric', 'state', 'run_id'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, run } of labelled(runs())) {
        for (const { metric, actual } of thresholdStates(run)) {
          for (const state of THRESHOLD_STATES)
            this.set({ metric, state, ...labels }, Number(state === actual));
        }
      }
    },
  });
}

interface ThresholdState {
  readonly metric: string;
  readonly actual: (typeof THRESHOLD_STATES)[number];
}

function thresholdStates(run: Run | undefined): readonly ThresholdState[] {
  const measured = new Map(measuredThresholds(run).map(({ metric, isMet }) => [metric, isMet] as const));
  return (run?.thresholds ?? []).map(({ metric }) => {
    const isMet = measured.get(metric);
    return { metric, actual: isMet === undefined ? 'unknown' : isMet ? 'met' : 'missed' };
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
    run.facts.outcomes ?? evaluateThresholds(run.thresholds, (metric) => figures.boundsOf(metric));
  const byMetric = new Map<string, MeasuredThreshold>();
  for (const { threshold, value, isMet } of outcomes) {
    const { metric } = threshold;
    const before = byMetric.get(metric)?.isMet ?? true;
    if (value !== null) byMetric.set(metric, { metric, value, isMet: before && isMet === true });
  }
  return [...byMetric.values()];
}
