/** The load as Prometheus series: an edge's part at the edge, the whole at the hive. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Tally } from '#load/protocol';
import type { LoadSource } from '../ledger/load-source.ts';

const BOUNDS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Counters that increase during a run; a new run resets them, like a restart. */
const COUNTERS: readonly (readonly [name: string, count: keyof Tally, help: string])[] = [
  ['planned_total', 'planned', 'transactions that the load has asked for by now'],
  ['sent_total', 'sent', 'transactions sent'],
  ['not_sent_total', 'notSent', 'transactions that were planned and could not be sent in time'],
  ['acked_total', 'acked', 'transactions that the target has taken'],
  ['included_total', 'included', 'transactions seen in a block or in the feed'],
  ['rejected_total', 'rejected', 'transactions that the target has refused'],
  ['unknown_total', 'unknown', 'transactions of which it is not known what became of them'],
];

/** Registers the series with a prefix; their values are read on each scrape. */
export function registerLoadSeries(registry: Registry, prefix: string, source: LoadSource): void {
  for (const [name, count, help] of COUNTERS) {
    new Counter({
      name: prefix + name,
      help: `${help}; of the run that goes on, or the last`,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(Math.max(0, source.tally()[count] ?? 0));
      },
    });
  }
  new Gauge({
    name: `${prefix}in_flight`,
    help: 'transactions sent of which nothing is known yet',
    registers: [registry],
    collect() {
      this.set(source.tally().inFlight ?? 0);
    },
  });
  new Gauge({
    name: `${prefix}target_rate`,
    help: 'transactions a second that the scenario asks for now',
    registers: [registry],
    collect() {
      this.set(source.targetRate());
    },
  });
  registry.registerMetric(new LatencySeries(`${prefix}latency_seconds`, source));
}

const LATENCY_HELP = 'latency of transactions of the stages that are measured, as the report has it';

type HistogramValues = Awaited<ReturnType<Histogram<'latency' | 'le'>['get']>>;

/** Buckets filled from HDR histograms; it has no observe(). */
class LatencySeries extends Histogram<'latency'> {
  readonly #name: string;
  readonly #source: LoadSource;

  constructor(name: string, source: LoadSource) {
    super({ name, help: LATENCY_HELP, labelNames: ['latency'], buckets: BOUNDS_S, registers: [] });
    this.#name = name;
    this.#source = source;
  }

  /** Called by the registry on each scrape. */
  getForPromString(): Promise<HistogramValues> {
    return this.get();
  }

  override get(): Promise<HistogramValues> {
    const name = this.#name;
    const values = [...this.#source.latencies(BOUNDS_S)].flatMap(([latency, { upTo, count, sumSeconds }]) => {
      const counts = [...BOUNDS_S.map((le, at) => [le, upTo[at] ?? 0] as const), ['+Inf', count] as const];
      return [
        ...counts.map(([le, value]) => ({ metricName: `${name}_bucket`, labels: { le, latency }, value })),
        { metricName: `${name}_sum`, labels: { latency }, value: sumSeconds },
        { metricName: `${name}_count`, labels: { latency }, value: count },
      ];
    });
    // The package declares the metric types as an enumeration that does not exist at run time.
    const family: object = { name, help: LATENCY_HELP, type: 'histogram', aggregator: 'sum', values };
    return Promise.resolve(family as HistogramValues);
  }
}
