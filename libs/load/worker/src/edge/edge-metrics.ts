import { Counter, Gauge, type Registry } from 'prom-client';
import type { HiveUplink, MetricSample } from '#load/protocol';
import { TABLE_NAMES } from '#load/telemetry';
import type { LoadCounters } from '../ledger/tally.ts';
import { FAILURE_CLASSES } from '../rpc/failure-class.ts';
import type { EdgeRunService } from './edge-run-service.ts';
import { registerLoadSeries } from './load-series.ts';

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
        help: 'transactions that failed, by class; expected: the scenario is after that',
        labelNames: ['class', 'expected'],
        read: () => failures(counters),
      },
      {
        name: 'plexus_correlation_misses',
        help: 'transactions that were taken, and that the feed has not shown in time',
        labelNames: [],
        read: () => [{ labels: {}, value: counters.correlationMisses }],
      },
      {
        name: 'plexus_feed_messages_total',
        help: 'messages that came over the feed, repeated ones and backlog too',
        labelNames: [],
        read: () => [{ labels: {}, value: counters.feedMessages }],
      },
      {
        name: 'plexus_events_dropped_total',
        help: 'telemetry events that found no room in the buffer, by table',
        labelNames: ['kind'],
        read: () => TABLE_NAMES.map((kind) => ({ labels: { kind }, value: runs.dropped(kind) })),
      },
    ];
    for (const family of this.#families) register(registry, family);
    registerOwn(registry, counters);
    registerLoadSeries(registry, 'plexus_edge_', {
      tally: () => runs.load?.tally() ?? {},
      targetRate: () => runs.load?.targetRate() ?? 0,
      latencies: (bounds) => runs.load?.latencies(bounds) ?? new Map(),
    });
  }

  /** For the hive, which exports them with the edge's id. */
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

/** Not sent to the hive, which has these values itself. */
function registerOwn(registry: Registry, counters: LoadCounters): void {
  const total = (name: string, help: string, read: () => number): void => {
    register(registry, { name, help, labelNames: [], read: () => [{ labels: {}, value: read() }] });
  };
  total('plexus_feed_gaps_total', 'numbers that the feed left out', () => counters.feedGaps);
  total('plexus_feed_duplicates_total', 'messages that the feed told twice', () => counters.feedDuplicates);
  total(
    'plexus_feed_reorganisations_total',
    'messages that the feed replaced',
    () => counters.feedReorganisations,
  );
  total(
    'plexus_feed_disconnects_total',
    'connections to the feed that were lost',
    () => counters.feedDisconnects,
  );
  total('plexus_feed_garbage_total', 'frames of the feed that were none', () => counters.feedGarbage);
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
