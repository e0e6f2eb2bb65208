import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { systemNowUs, type Tally } from '#load/protocol';
import type { Run } from '../run/run.ts';

const US_PER_S = 1_000_000;
/** Edges say how far they are once a second: a shorter time shows their words, not the rate. */
const WINDOW_US_MIN = 4 * US_PER_S;
const WINDOW_US_MAX = 60 * US_PER_S;

interface Sample {
  readonly atUs: number;
  readonly sent: number;
}

/** How much was sent a second, from what was known at the questions before. */
export class SentRate {
  #runId = '';
  #samples: Sample[] = [];

  /** 0 until two questions lie far enough apart. */
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
const BOUNDS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Counts that only rise while a run goes on; a new run begins them anew, as a restart does. */
const COUNTERS: readonly (readonly [name: string, count: keyof Tally, help: string])[] = [
  ['planned_total', 'planned', 'transactions that the load has asked for by now'],
  ['sent_total', 'sent', 'transactions sent'],
  ['not_sent_total', 'notSent', 'transactions that were planned and could not be sent in time'],
  ['acked_total', 'acked', 'transactions that the target has taken'],
  ['included_total', 'included', 'transactions seen in a block or in the feed'],
  ['rejected_total', 'rejected', 'transactions that the target has refused'],
  ['unknown_total', 'unknown', 'transactions of which it is not known what became of them'],
];

/** The load of the run that goes on, or of the last one, read when the page is scraped. */
export function registerLoadMetrics(registry: Registry, latest: () => Run | undefined): void {
  for (const [name, count, help] of COUNTERS)
    registerCounter(registry, { name, help, read: () => tallyOf(latest())[count] });
  registerGauge(
    registry,
    'in_flight',
    'transactions sent of which nothing is known yet',
    () => tallyOf(latest()).inFlight ?? 0,
  );
  registerGauge(registry, 'target_rate', 'transactions a second that the scenario asks for now', () =>
    targetRate(latest(), systemNowUs()),
  );
  const rate = new SentRate();
  registerGauge(registry, 'sent_rate', 'transactions sent a second, over the last seconds', () => {
    const run = latest();
    return run === undefined ? 0 : rate.of(run.runId, tallyOf(run).sent ?? 0, systemNowUs());
  });
  registerStatus(registry, latest);
  registerLatency(registry, latest);
}

function tallyOf(run: Run | undefined): Partial<Tally> {
  return run?.figures(systemNowUs()).tally ?? {};
}

function registerCounter(
  registry: Registry,
  {
    name,
    help,
    read,
  }: { readonly name: string; readonly help: string; readonly read: () => number | undefined },
): void {
  new Counter({
    name: PREFIX + name,
    help: `${help}; of the run that goes on, or the last`,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(Math.max(0, read() ?? 0));
    },
  });
}

function registerGauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name: PREFIX + name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}

/** Between stages, and without a run, it is 0. */
function targetRate(run: Run | undefined, nowUs: number): number {
  const stage = run?.endedAtUs === null ? run.timeline?.stageAt(nowUs) : undefined;
  if (stage === undefined) return 0;
  const { from_us: fromUs, to_us: toUs, start_rate: startRate, end_rate: endRate } = stage;
  return startRate + ((endRate - startRate) * (nowUs - fromUs)) / (toUs - fromUs);
}

function registerStatus(registry: Registry, latest: () => Run | undefined): void {
  new Gauge({
    name: 'plexus_hive_run_status',
    help: '1 for the status of the run that goes on, or of the last one',
    labelNames: ['status'],
    registers: [registry],
    collect() {
      const status = latest()?.state.status;
      for (const one of STATUSES) this.set({ status: one }, Number(one === status));
    },
  });
}

function registerLatency(registry: Registry, latest: () => Run | undefined): void {
  registry.registerMetric(new LatencyHistogram(latest));
}

const NAME = `${PREFIX}latency_seconds`;
const LATENCY_HELP = 'latency of transactions of the stages that are measured, as the report has it';

type HistogramValues = Awaited<ReturnType<Histogram<'latency' | 'le'>['get']>>;

/** Edges send HDR histograms: their counts are read into buckets, and nothing is observed here. */
class LatencyHistogram extends Histogram<'latency'> {
  readonly #latest: () => Run | undefined;

  constructor(latest: () => Run | undefined) {
    super({
      name: NAME,
      help: LATENCY_HELP,
      labelNames: ['latency'],
      buckets: BOUNDS_S,
      registers: [],
    });
    this.#latest = latest;
  }

  /** What the registry asks when it writes a page. */
  getForPromString(): Promise<HistogramValues> {
    return this.get();
  }

  override get(): Promise<HistogramValues> {
    const buckets = this.#latest()?.figures(systemNowUs()).buckets(BOUNDS_S) ?? [];
    const values = [...buckets].flatMap(([name, { upTo, count, sumSeconds }]) => {
      const labels = { latency: name.replace(/_latency$/, '') };
      const counts = [...BOUNDS_S.map((le, at) => [le, upTo[at] ?? 0] as const), ['+Inf', count] as const];
      return [
        ...counts.map(([le, value]) => ({ metricName: `${NAME}_bucket`, labels: { le, ...labels }, value })),
        { metricName: `${NAME}_sum`, labels, value: sumSeconds },
        { metricName: `${NAME}_count`, labels, value: count },
      ];
    });
    // The package has the type of families as an enumeration that is not there at run time.
    const family: object = { name: NAME, help: LATENCY_HELP, type: 'histogram', aggregator: 'sum', values };
    return Promise.resolve(family as HistogramValues);
  }
}
