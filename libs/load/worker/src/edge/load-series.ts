/** The load as Prometheus series: an edge's part at the edge, the whole at the hive. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Tally } from '#load/protocol';
import type { LoadSource } from '../ledger/load-source.ts';

/** A load whose series have labels: the hive's name the run, an edge has one run at a time. */
export interface LabelledLoad extends LoadSource {
  readonly labels: Readonly<Partial<Record<'run_id', string>>>;
}

const BOUNDS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Counters that increase during a run; a new run resets them, like a restart. */
const COUNTERS: readonly (readonly [name: string, count: keyof Tally, help: string])[] = [
  ['planned_total', 'planned', 'transactions due so far'],
  ['sent_total', 'sent', 'transactions sent'],
  ['not_sent_total', 'notSent', 'planned transactions that were not sent in time'],
  ['acked_total', 'acked', 'transactions accepted by the target'],
  ['included_total', 'included', 'transactions seen in a block or in the feed'],
  ['rejected_total', 'rejected', 'transactions rejected by the target'],
  ['unknown_total', 'unknown', 'transactions with an unknown outcome'],
];

/** Registers the series of all loads with a prefix; their values are read on each scrape. */
export function registerLoadSeries(
  registry: Registry,
  prefix: string,
  loads: () => readonly LabelledLoad[],
): void {
  for (const [name, count, help] of COUNTERS) {
    new Counter({
      name: prefix + name,
      help: `${help}; of the active run, or the last one`,
      labelNames: ['run_id'],
      registers: [registry],
      collect() {
        this.reset();
        for (const load of loads()) this.inc(load.labels, Math.max(0, load.tally()[count] ?? 0));
      },
    });
  }
  new Gauge({
    name: `${prefix}in_flight`,
    help: 'sent transactions without an outcome so far',
    labelNames: ['run_id'],
    registers: [registry],
    collect() {
      this.reset();
      for (const load of loads()) this.set(load.labels, load.tally().inFlight ?? 0);
    },
  });
  new Gauge({
    name: `${prefix}target_rate`,
    help: 'transactions per second that the scenario currently requires',
    labelNames: ['run_id'],
    registers: [registry],
    collect() {
      this.reset();
      for (const load of loads()) this.set(load.labels, load.targetRate());
    },
  });
  registry.registerMetric(new LatencySeries(`${prefix}latency_seconds`, loads));
}

const LATENCY_HELP = 'latency of transactions in the measured stages, as in the report';

type HistogramValues = Awaited<ReturnType<Histogram<'latency' | 'run_id' | 'le'>['get']>>;

/** Buckets filled from HDR histograms; it has no observe(). */
class LatencySeries extends Histogram<'latency' | 'run_id'> {
  readonly #name: string;
  readonly #loads: () => readonly LabelledLoad[];

  constructor(name: string, loads: () => readonly LabelledLoad[]) {
    super({ name, help: LATENCY_HELP, labelNames: ['latency', 'run_id'], buckets: BOUNDS_S, registers: [] });
    this.#name = name;
    this.#loads = loads;
  }

  /** Called by the registry on each scrape. */
  getForPromString(): Promise<HistogramValues> {
    return this.get();
  }

  override get(): Promise<HistogramValues> {
    const name = this.#name;
    const values = this.#loads().flatMap((load) =>
      [...load.latencies(BOUNDS_S)].flatMap(([latency, { upTo, count, sumSeconds }]) => {
        const counts = [...BOUNDS_S.map((le, at) => [le, upTo[at] ?? 0] as const), ['+Inf', count] as const];
        const labels = { latency, ...load.labels };
        return [
          ...counts.map(([le, value]) => ({
            metricName: `${name}_bucket`,
            labels: { le, ...labels },
            value,
          })),
          { metricName: `${name}_sum`, labels, value: sumSeconds },
          { metricName: `${name}_count`, labels, value: count },
        ];
      }),
    );
    // The package declares the metric types as an enumeration that does not exist at run time.
    const family: object = { name, help: LATENCY_HELP, type: 'histogram', aggregator: 'sum', values };
    return Promise.resolve(family as HistogramValues);
  }
}
