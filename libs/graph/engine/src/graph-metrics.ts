import type { Provider } from '@nestjs/common';
import { makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import type { Counter, Gauge } from 'prom-client';
import { Graph } from './graph.ts';

const PREFIX = 'plexus_';

type Read = (graph: Graph) => number;

/** Metrics of the graph and its store, read at each scrape. */
export const GRAPH_METRICS: readonly Provider[] = [
  gauge('entities', 'live entities', (graph) => graph.liveRecords?.entities ?? Number.NaN),
  gauge('relationships', 'live relationships', (graph) => graph.liveRecords?.relationships ?? Number.NaN),
  gauge(
    'snapshot_version',
    'sequence number up to which everything is durable',
    (graph) => graph.durableVersion,
  ),
  gauge('snapshots', 'snapshots read now, kept by cursors, or by look-ups', (graph) => graph.openSnapshots),
  gauge('writable', '1 while the store takes writes', (graph) =>
    Number(graph.health().status !== 'unhealthy'),
  ),
  gauge(
    'memtable_bytes',
    'bytes of records that are in no segment yet',
    ({ storageStats }) => storageStats.memtable_bytes,
  ),
  gauge('segments', 'segment files', ({ storageStats }) => storageStats.segments),
  gauge('segment_bytes', 'bytes of segment files', ({ storageStats }) => storageStats.segment_bytes),
  gauge(
    'segment_damaged_blocks',
    'blocks that the last scrub could not read',
    ({ storageStats }) => storageStats.damaged_blocks,
  ),
  total(
    'segment_scrubbed_bytes_total',
    'bytes of segments read to find damage',
    ({ storageStats }) => storageStats.scrubbed_bytes,
  ),
  gauge('wal_file_bytes', 'bytes of log files', ({ storageStats }) => storageStats.wal_bytes),
  gauge('wal_files', 'log files', ({ storageStats }) => storageStats.wal_segments),
  total('compactions_total', 'merges of segments', ({ storageStats }) => storageStats.compactions),
  total('wal_appends_total', 'batches appended to the log', ({ storageStats }) => storageStats.appends),
  total('wal_syncs_total', 'group commits: one sync each', ({ storageStats }) => storageStats.syncs),
];

function gauge(name: string, help: string, read: Read): Provider {
  return makeGaugeProvider({
    name: PREFIX + name,
    help,
    registers: [],
    inject: [Graph],
    collect(this: Gauge, graph: Graph) {
      this.set(read(graph));
    },
  });
}

/** What each counter has been told: an application has counters of its own. */
const BEFORE = new WeakMap<Counter, number>();

/** A counter for a monotonic number that is counted elsewhere. */
function total(name: string, help: string, read: Read): Provider {
  return makeCounterProvider({
    name: PREFIX + name,
    help,
    registers: [],
    inject: [Graph],
    collect(this: Counter, graph: Graph) {
      const now = read(graph);
      this.inc(Math.max(0, now - (BEFORE.get(this) ?? 0)));
      BEFORE.set(this, now);
    },
  });
}
