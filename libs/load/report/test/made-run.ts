import { join } from 'node:path';
import { encodeTables, type RowOf, TableBuilder, type TableName, TelemetryWriter } from '#load/telemetry';
import type { Disk } from '#platform/disk';
import type { ReportedRun, RunTally } from '../src/data/run-record.ts';

export const STARTED_US = 1_795_270_510_000_000;
const SECOND_US = 1_000_000;
const EDGES = ['edge-1', 'edge-2'] as const;

export interface MadeRunOptions {
  /** Transactions per edge and second. */
  readonly rate?: number;
  readonly seconds?: number;
  readonly record?: Partial<ReportedRun>;
  readonly violations?: readonly RowOf<'violations'>[];
  /** Offset of each edge's clock in microseconds, included in its times. Default: −812, not included. */
  readonly clocksUs?: readonly number[];
  /** Extra delay of the answer to the last transaction of each edge, microseconds. */
  readonly lastAckLateUs?: number;
}

/** The feed counters of each edge, apart from its messages. */
const FEED_COUNTS: readonly Partial<RunTally>[] = [
  { feed_gaps: 3, feed_duplicates: 2, feed_reorganisations: 1, feed_disconnects: 4, feed_garbage: 5 },
  { correlation_misses: 1 },
];

/** Deterministic pseudo-random numbers. */
function* noise(): Generator<number, never> {
  for (let state = 1; ; state = (state * 48_271) % 2_147_483_647) yield state / 2_147_483_647;
}

/**
 * A finished run of two edges in `directory`, with parts in the format of the hive: two seconds of
 * warm-up, then a steady load of transfers of which one in 50 fails as the mix expects, one in 100 otherwise.
 */
export async function makeRun(
  disk: Disk,
  directory: string,
  options: MadeRunOptions = {},
): Promise<ReportedRun> {
  const { rate = 20, seconds = 10 } = options;
  const writer = await TelemetryWriter.open({ disk, directory });
  for (const [at, edgeId] of EDGES.entries()) {
    const tables = tablesOf(at, options);
    await writer.append({ edgeId, instanceId: `${edgeId}-a` }, 1, encodeTables(tables));
  }
  const parts = await writer.seal();
  const record: ReportedRun = {
    ...recordOf(rate * seconds, seconds),
    parts: parts.map(({ footerCrc, ...part }) => ({ ...part, footer_crc: footerCrc })),
    ...options.record,
  };
  await writeRecord(disk, directory, record);
  return record;
}

export async function writeRecord(disk: Disk, directory: string, record: unknown): Promise<void> {
  const path = join(directory, 'run.json');
  await disk.remove(path);
  await disk.writeNew(path, new TextEncoder().encode(JSON.stringify(record)));
}

function tablesOf(edge: number, options: MadeRunOptions) {
  const { rate = 20, seconds = 10, violations = [], clocksUs, lastAckLateUs = 0 } = options;
  const aheadUs = clocksUs?.[edge] ?? 0;
  const transactions = transactionsOf(edge, rate, seconds).map((row, at, { length }) => ({
    ...row,
    intended_us: row.intended_us + aheadUs,
    sent_us: row.sent_us + aheadUs,
    acked_us: row.acked_us + aheadUs + (at === length - 1 ? lastAckLateUs : 0),
    feed_us: row.feed_us === null ? null : row.feed_us + aheadUs,
  }));
  const failures = transactions.filter(({ outcome }) => outcome === 'rejected');
  return [
    batch('transactions', transactions),
    batch(
      'feed',
      Array.from({ length: seconds * 4 }, (_, at) => feedRow(at)),
    ),
    batch(
      'intervals',
      Array.from({ length: seconds }, (_, second) => intervalRow(second, rate)),
    ),
    batch(
      'errors',
      failures.map(({ error_class, expect, sent_us, hash }) => ({
        at_us: sent_us,
        class: error_class ?? '',
        expected: expect !== null,
        code: -32_000,
        message:
          error_class === 'nonce_too_low' ? 'nonce too low: tx: 3 state: 5' : 'tx pool <is> full & "closed"',
        count: 1,
        sample_hash: hash,
      })),
    ),
    batch('violations', edge === 0 ? violations : []),
    batch('reads', edge === 0 ? readsOf(seconds) : []),
    batch('edges', [edgeRow(edge, seconds, clocksUs?.[edge] ?? -812)]),
  ];
}

function batch<T extends TableName>(table: T, rows: readonly RowOf<T>[]) {
  const builder = new TableBuilder(table);
  for (const row of rows) builder.append(row);
  return builder.batch();
}

/** Ten a second, of which the last one fails. */
function readsOf(seconds: number): RowOf<'reads'>[] {
  return Array.from({ length: 10 * seconds }, (_, at) => {
    const intended_us = STARTED_US + Math.floor((at * SECOND_US) / 10);
    const isFailed = at % 10 === 9;
    return {
      name: 'balances',
      method: 'eth_getBalance',
      stage: at < 20 ? 0 : 1,
      is_excluded: at < 20,
      intended_us,
      sent_us: intended_us + 100,
      answered_us: intended_us + 2_000,
      outcome: isFailed ? 'failed' : 'answered',
      error_class: isFailed ? 'rate_limited' : null,
    };
  });
}

function transactionsOf(edge: number, rate: number, seconds: number) {
  const random = noise();
  return Array.from({ length: rate * seconds }, (_, tx) => {
    const intended_us = STARTED_US + Math.floor((tx * SECOND_US) / rate);
    const sent_us = intended_us + Math.floor(random.next().value * 2_000);
    const isExpected = tx % 50 === 7;
    const isRejected = isExpected || tx % 100 === 31;
    const isExcluded = intended_us < STARTED_US + 2 * SECOND_US;
    const feed_us = sent_us + 4_000 + Math.floor(250_000 * random.next().value ** 2);
    return {
      tx,
      stage: isExcluded ? 0 : 1,
      kind: isExpected ? 'invalid_nonce' : tx % 5 === 0 ? 'erc20_transfer' : 'transfer',
      expect: isExpected ? 'nonce_too_low' : null,
      account: numbered(20, edge * 100 + (tx % 50)),
      nonce: Math.floor(tx / 50),
      hash: numbered(32, edge * 1_000_000 + tx),
      intended_us,
      sent_us,
      ...(isRejected ? rejection(sent_us, isExpected) : inclusion(feed_us, tx)),
      is_excluded: isExcluded,
      type: 2,
      way: tx % 10 === 4 ? 'express_lane' : 'raw',
    } satisfies RowOf<'transactions'>;
  });
}

function rejection(sent_us: number, isExpected: boolean) {
  return {
    acked_us: sent_us + 900,
    feed_us: null,
    outcome: 'rejected' as const,
    error_class: isExpected ? 'nonce_too_low' : 'queue_timeout',
    feed_sequence: null,
    block_number: null,
    block_us: null,
    timeboosted: null,
    block_index: null,
    block_size: null,
  };
}

function inclusion(feed_us: number, tx: number) {
  return {
    acked_us: feed_us + 600,
    feed_us,
    outcome: 'included' as const,
    error_class: null,
    feed_sequence: tx,
    block_number: 100 + tx,
    block_us: feed_us + 1_000,
    timeboosted: tx % 10 === 4,
    block_index: tx % 10 === 4 ? 0 : 8,
    block_size: 9,
  };
}

/** The feed of the first edge has faults. */
function edgeRow(edge: number, seconds: number, clockUs: number): RowOf<'edges'> {
  return {
    version: '0.1.0',
    hostname: `load-${edge + 1}`,
    labels_json: '{}',
    first_account: edge * 50,
    account_count: 50,
    registered_us: STARTED_US,
    left_us: null,
    end: 'done',
    clock_offset_us: clockUs,
    clock_error_us: 140,
    feed_gaps: edge === 0 ? 3 : 0,
    events_dropped: 0,
    feed_messages: seconds * 4,
    feed_duplicates: edge === 0 ? 2 : 0,
    feed_reorganisations: edge === 0 ? 1 : 0,
    feed_garbage: 0,
    feed_disconnects: edge === 0 ? 4 : 0,
    correlation_misses: edge,
  };
}

function feedRow(at: number): RowOf<'feed'> {
  return {
    received_us: STARTED_US + at * 250_000,
    sequence_number: at,
    tx_index: -1,
    tx_count: 5,
    bytes: 900,
    flags: 0,
    block_number: at,
    account: null,
    nonce: null,
    hash: null,
  };
}

function intervalRow(second: number, rate: number): RowOf<'intervals'> {
  return {
    at_us: STARTED_US + second * SECOND_US,
    interval_ms: 1_000,
    stage: 1,
    planned: rate,
    sent: rate,
    not_sent: 0,
    acked: rate,
    included: rate,
    rejected: 0,
    unknown: 0,
    in_flight: 3,
    feed_messages: 4,
    correlation_misses: 0,
    events_dropped: 0,
    loop_delay_p99_us: 2_100,
    cpu_ms: 430,
    send_delay: null,
    send_ack: null,
    send_feed: null,
    intended_feed: null,
    send_block: null,
    intended_block: null,
  };
}

export function numbered(length: number, value: number): Uint8Array {
  const bytes = new Uint8Array(length);
  new DataView(bytes.buffer).setUint32(length - 4, value);
  return bytes;
}

function recordOf(planned: number, seconds: number): Omit<ReportedRun, 'parts'> {
  const each = tallyOf({ from: 0, to: planned, feedMessages: seconds * 4 });
  const measured = tallyOf({ from: (planned / seconds) * 2, to: planned, feedMessages: (seconds - 2) * 4 });
  const all = totalOf(each);
  const passed = { verdict: 'pass', coverage: { checked: 100, total: 100 }, violation_count: 0 } as const;
  return {
    run_id: 'r-20261121-141503-k3v9ax',
    name: 'smoke',
    status: 'Completed',
    reason: null,
    started_at_us: STARTED_US,
    ended_at_us: STARTED_US + (seconds + 2) * SECOND_US,
    hive: { version: '0.1.0', hostname: 'load-1', node: '24.21.0', platform: 'linux x64', cores: 2 },
    scenario: { name: 'smoke', target: { chain_id: 412_346 }, load: { stages: [{ rate: 40 }] } },
    stages: [stage('warm', 0, 2, true), stage('steady', 2, seconds, false)],
    findings: [],
    edges: EDGES.map((edge_id, at) => ({
      edge_id,
      instance_id: `${edge_id}-a`,
      version: '0.1.0',
      hostname: `load-${at + 1}`,
      first_account: at * 50,
      account_count: 50,
      end: 'done',
      clock_offset_us: -812,
      clock_error_us: 140,
      tally: { ...each, ...FEED_COUNTS[at] },
    })),
    tally: all,
    measured: totalOf(measured),
    not_sent: [],
    thresholds: [
      { metric: 'feed_latency_p99_ms', min: null, max: 800, value: 251.4, is_met: true, is_default: false },
      { metric: 'tx_failed_ratio', min: null, max: 0.005, value: 0.01, is_met: false, is_default: false },
    ],
    oracle: {
      nonce: passed,
      balance: passed,
      gas: { ...passed, coverage: { checked: all.included, total: all.included } },
    },
  };
}

function stage(name: string, from: number, to: number, is_excluded: boolean) {
  const [from_us, to_us] = [STARTED_US + from * SECOND_US, STARTED_US + to * SECOND_US];
  return { name, from_us, to_us, start_rate: 40, end_rate: 40, is_excluded };
}

/** Counts of the transactions `from` … `to` − 1 of one edge. */
function tallyOf({ from, to, feedMessages }: { from: number; to: number; feedMessages: number }): RunTally {
  const within = (step: number, rest: number): number =>
    countUpTo(to, step, rest) - countUpTo(from, step, rest);
  const planned = to - from;
  const unexpected = within(100, 31);
  const rejected = within(50, 7) + unexpected;
  return {
    planned,
    sent: planned,
    not_sent: 0,
    included: planned - rejected,
    rejected,
    unknown: 0,
    feed_messages: feedMessages,
    correlation_misses: 0,
    events_dropped: 0,
    failed_unexpected: unexpected,
    feed_gaps: 0,
    feed_duplicates: 0,
    feed_reorganisations: 0,
    feed_disconnects: 0,
    rejected_unexpected: unexpected,
    reverted: 0,
    included_after_error: 0,
    expect_unmet: 0,
    acked_lost: 0,
  };
}

/** Counts of all edges. */
function totalOf(each: RunTally): RunTally {
  const sums = Object.entries(each).map(([name, count]) => [name, Number(count) * EDGES.length]);
  return Object.fromEntries(sums) as RunTally;
}

/** Number of integers in 0 … end − 1 that are `rest` modulo `step`. */
function countUpTo(end: number, step: number, rest: number): number {
  return Math.max(0, Math.ceil((end - rest) / step));
}
