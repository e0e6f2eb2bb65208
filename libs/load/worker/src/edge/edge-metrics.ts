import { Counter, Gauge, type Registry } from 'prom-client';
import type { HiveUplink, MetricSample } from '#load/protocol';
import { TABLE_NAMES } from '#load/telemetry';
import type { LoadCounters } from '../ledger/tally.ts';
import { FAILURE_CLASSES } from '../rpc/failure-class.ts';
import type { EdgeRunService } from './edge-run-service.ts';
import { type LabelledLoad, registerLoadSeries } from './load-series.ts';

interface EdgeMetricsSources {
  readonly counters: LoadCounters;
  readonly runs: Pick<EdgeRunService, 'dropped' | 'load'>;
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly read: () => readonly Omit<MetricSample, 'name'>[];
}

/** The metrics of an edge. Every class and kind exists from the start, so that no series is missing. */
export class EdgeMetrics {
  readonly #families: readonly Family[];

  constructor(registry: Registry, { counters, runs }: EdgeMetricsSources) {
    this.#families = [
      {
        name: 'plexus_tx_failed_total',
        help: 'failed transactions, by class; expected: the mix intends the failure',
        labelNames: ['class', 'expected'],
        read: () => failures(counters),
      },
      {
        name: 'plexus_correlation_misses',
        help: 'accepted transactions that were not in the feed in time',
        labelNames: [],
        read: () => [{ labels: {}, value: counters.correlationMisses }],
      },
      {
        name: 'plexus_feed_messages_total',
        help: 'feed messages received, including repeated messages and the backlog',
        labelNames: [],
        read: () => [{ labels: {}, value: counters.feedMessages }],
      },
      {
        name: 'plexus_events_dropped_total',
        help: 'telemetry events dropped on a full buffer, by table',
        labelNames: ['kind'],
        read: () => TABLE_NAMES.map((kind) => ({ labels: { kind }, value: runs.dropped(kind) })),
      },
    ];
    for (const family of this.#families) register(registry, family);
    registerOwn(registry, counters);
    const load: LabelledLoad = {
      labels: {},
      tally: () => runs.load?.tally() ?? {},
      targetRate: () => runs.load?.targetRate() ?? 0,
      latencies: (bounds) => runs.load?.latencies(bounds) ?? new Map(),
    };
    registerLoadSeries(registry, 'plexus_edge_', () => [load]);
  }

  /** Samples for the hive, which exports them with the edge's id. */
  samples(): readonly MetricSample[] {
    return this.#families.flatMap(({ name, read }) => read().map((sample) => ({ name, ...sample })));
  }
}

function failures(counters: LoadCounters): readonly Omit<MetricSample, 'name'>[] {
  return FAILURE_CLASSES.flatMap((failure) =>
    [false, true].map((isExpected) => ({
      labels: { class: failure, expected: String(isExpected) },
      value: counters.failures(failure, isExpected),
    })),
  );
}

/** Read when the page is scraped. */
function register(registry: Registry, { name, help, labelNames, read }: Family): void {
  const collect = function (this: Counter): void {
    this.reset();
    for (const { labels, value } of read()) this.inc(labels, value);
  };
  new Counter({ name, help, labelNames: [...labelNames], registers: [registry], collect });
}

/** Registers metrics that are not sent to the hive, which has these values itself. */
function registerOwn(registry: Registry, counters: LoadCounters): void {
  const total = (name: string, help: string, read: () => number): void => {
    register(registry, { name, help, labelNames: [], read: () => [{ labels: {}, value: read() }] });
  };
  total('plexus_feed_gaps_total', 'sequence numbers missing from the feed', () => counters.feedGaps);
  total('plexus_feed_duplicates_total', 'repeated feed messages', () => counters.feedDuplicates);
  total('plexus_feed_reorganisations_total', 'replaced feed messages', () => counters.feedReorganisations);
  total('plexus_feed_disconnects_total', 'lost feed connections', () => counters.feedDisconnects);
  total('plexus_feed_garbage_total', 'invalid feed frames', () => counters.feedGarbage);
}

export function registerConnection(registry: Registry, hive: HiveUplink): void {
  new Gauge({
    name: 'plexus_edge_connected',
    help: '1 while the hive is connected',
    registers: [registry],
    collect() {
      this.set(Number(hive.isConnected));
    },
  });
}
