import { Counter, Gauge, type Registry } from 'prom-client';
import type { Graph } from './graph.ts';

const PREFIX = 'plexus_';

/** Metrics of the graph and its store, read at each scrape. */
export function registerGraphMetrics(registry: Registry, graph: Graph): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({ name: PREFIX + name, help, registers: [registry], collect: collector(read) });
  };
  const total = (name: string, help: string, read: () => number): void => {
    new Counter({ name: PREFIX + name, help, registers: [registry], collect: riser(read) });
  };
  const store = (): Graph['storageStats'] => graph.storageStats;
  gauge('entities', 'live entities', () => graph.liveRecords?.entities ?? Number.NaN);
  gauge('relationships', 'live relationships', () => graph.liveRecords?.relationships ?? Number.NaN);
  gauge('snapshot_version', 'sequence number up to which everything is durable', () => graph.durableVersion);
  gauge('snapshots', 'snapshots read now, kept by cursors, or by look-ups', () => graph.openSnapshots);
  gauge('writable', '1 while the store takes writes', () => Number(graph.health().status !== 'unhealthy'));
  gauge('memtable_bytes', 'bytes of records that are in no segment yet', () => store().memtable_bytes);
  gauge('segments', 'segment files', () => store().segments);
  gauge('segment_bytes', 'bytes of segment files', () => store().segment_bytes);
  gauge('segment_damaged_blocks', 'blocks that the last scrub could not read', () => store().damaged_blocks);
  total(
    'segment_scrubbed_bytes_total',
    'bytes of segments read to find damage',
    () => store().scrubbed_bytes,
  );
  gauge('wal_file_bytes', 'bytes of log files', () => store().wal_bytes);
  gauge('wal_files', 'log files', () => store().wal_segments);
  total('compactions_total', 'merges of segments', () => store().compactions);
  total('wal_appends_total', 'batches appended to the log', () => store().appends);
  total('wal_syncs_total', 'group commits: one sync each', () => store().syncs);
}

/** prom-client calls `collect` on the metric itself. */
function collector(read: () => number): (this: Gauge) => void {
  return function collect() {
    this.set(read());
  };
}

/** A counter for a monotonic number that is counted elsewhere. */
function riser(read: () => number): (this: Counter) => void {
  let before = 0;
  return function collect() {
    const now = read();
    this.inc(Math.max(0, now - before));
    before = now;
  };
}
