import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PartFile } from '../../libs/load/telemetry/src/index.ts';
import { builtLibrary } from '../targets/built-library.ts';
import { ColumnEdge } from '../telemetry/edge-source.ts';

const { NodeDisk } = await builtLibrary('platform/disk');
const { TelemetryWriter } = await builtLibrary('load/telemetry');

const EDGES = 8;
const ACCOUNTS = 1_000;
const STARTED_US = 1_795_270_510_000_000;
const RATE = 1_000;
const SECOND_US = 1_000_000;

export interface MadeRun {
  readonly events: number;
  readonly included: number;
  readonly bytes: number;
}

/** A finished run in `directory` with this many events, its parts written by the hive's own writer. */
export async function makeRun(directory: string, events: number, seed: number): Promise<MadeRun> {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const writer = await TelemetryWriter.open({ disk: new NodeDisk(), directory });
  const edges = Array.from({ length: EDGES }, (_, number) => new ColumnEdge(number, ACCOUNTS, seed));
  let transactions = 0;
  for (let seq = 1; eventsOf(edges) < events; seq++) {
    for (const [number, edge] of edges.entries()) {
      transactions += edge.fill(Infinity);
      const bytes = edge.take();
      if (bytes !== undefined) {
        await writer.append({ edgeId: `edge-${number}`, instanceId: 'i' }, seq, bytes);
      }
    }
  }
  const parts = await writer.seal();
  writeFileSync(join(directory, 'run.json'), JSON.stringify(recordOf(transactions, parts)));
  return {
    events: eventsOf(edges),
    included: transactions,
    bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
  };
}

function eventsOf(edges: readonly ColumnEdge[]): number {
  return edges.reduce((sum, edge) => sum + edge.events, 0);
}

/** The part of run.json that a report reads. */
function recordOf(transactions: number, parts: readonly PartFile[]): object {
  const seconds = Math.ceil(transactions / EDGES / RATE);
  const counts = { planned: transactions, sent: transactions, not_sent: 0, included: transactions };
  const tally = {
    ...counts,
    rejected: 0,
    unknown: 0,
    feed_messages: 0,
    correlation_misses: 0,
    events_dropped: 0,
    feed_gaps: 0,
    feed_duplicates: 0,
    feed_reorganisations: 0,
    feed_disconnects: 0,
  };
  const times = { started_at_us: STARTED_US, ended_at_us: STARTED_US + seconds * SECOND_US };
  const stage = { name: 'steady', start_rate: RATE, end_rate: RATE, is_excluded: false };
  return {
    run_id: 'r-bench',
    name: 'bench',
    status: 'Completed',
    reason: null,
    hive: {},
    scenario: {},
    ...times,
    findings: [],
    edges: [],
    thresholds: [],
    oracle: {},
    tally,
    stages: [
      { ...stage, from_us: STARTED_US, to_us: STARTED_US },
      { ...stage, from_us: STARTED_US, to_us: times.ended_at_us },
    ],
    parts: parts.map(({ footerCrc, ...part }) => ({ ...part, footer_crc: footerCrc })),
  };
}
