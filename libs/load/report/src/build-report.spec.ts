import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { makeRun, numbered, writeRecord } from '../test/made-run.ts';
import { buildReport } from './build-report.ts';
import type { ReportedRun } from './data/run-record.ts';
import { renderHtml } from './render/render-html.ts';

const disk = new NodeDisk();
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'plexus-report-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

function stageOf({ stages }: ReportedRun): ReportedRun['stages'][number] {
  const [stage] = stages;
  if (stage === undefined) throw new Error('a run has stages');
  return stage;
}

/** Microseconds from sending to acknowledgement of every measured row. */
async function measuredAcks(at: string): Promise<readonly number[]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const sql = `SELECT (epoch_us(acked_us) - epoch_us(sent_us))::DOUBLE AS us FROM read_parquet('${at}/transactions-*.parquet')
    WHERE NOT is_excluded AND acked_us IS NOT NULL`;
  const rows = (await connection.runAndReadAll(sql)).getRowObjectsJS();
  connection.disconnectSync();
  instance.closeSync();
  return rows.map(({ us }) => Number(us));
}

function partOf(run: ReportedRun, table: string): string {
  return run.parts.find((part) => part.table === table)?.name ?? '';
}

describe('the report of a finished run', () => {
  it('compares the ways to send by latency, and by the place in the block', async () => {
    await makeRun(disk, directory);

    const { ways } = await buildReport(disk, directory);

    expect(ways.map(({ way, type, place_p50, place_mean }) => [way, type, place_p50, place_mean])).toEqual([
      ['express_lane', 2, 0, 0],
      ['raw', 2, 1, 1],
    ]);
    const [lane, raw] = ways;
    expect([lane?.timeboosted, lane?.not_timeboosted]).toEqual([lane?.included, 0]);
    expect([raw?.timeboosted, raw?.not_timeboosted]).toEqual([0, raw?.included]);
    expect(lane?.send_feed?.p50).toBeGreaterThan(0);
  });

  it('sums up the reads beside the load, with their failures by class', async () => {
    await makeRun(disk, directory);

    const report = await buildReport(disk, directory);

    expect(report.reads).toEqual([
      {
        name: 'balances',
        method: 'eth_getBalance',
        planned: 80,
        answered: 72,
        failed: 8,
        not_sent: 0,
        rate: 9,
        p50_ms: 2,
        p95_ms: 2,
        p99_ms: 2,
        max_ms: 2,
        errors: [{ class: 'rate_limited', count: 8 }],
      },
    ]);
    expect(renderHtml(report)).toContain('<h2>Reads</h2>');
  });

  it('shows the ways side by side on the page', async () => {
    await makeRun(disk, directory);

    const page = renderHtml(await buildReport(disk, directory));

    expect(page).toContain('<h2>Types and ways to send</h2>');
    expect(page).toContain('express lane');
  });

  it('sums up planned, sent and answered transactions', async () => {
    await makeRun(disk, directory);

    const report = await buildReport(disk, directory);

    expect(report.summary).toMatchObject({
      planned: 400,
      sent: 400,
      not_sent: 0,
      included: 388,
      rejected: 12,
      unknown: 0,
      planned_rate: 40,
      achieved_rate: 40,
      achieved_rate_ratio: 1,
      is_balanced: true,
    });
    expect(report.summary.tx_failed_ratio).toBeCloseTo(2 / 320, 6);
  });

  it('computes rates and ratios from the counters of the edges, even if rows were dropped', async () => {
    const run = await makeRun(disk, directory);
    const { measured = run.tally } = run;
    const counted = { ...measured, planned: 3_600, sent: 3_200, not_sent: 400, failed_unexpected: 32 };
    await writeRecord(disk, directory, { ...run, measured: counted });

    const { summary } = await buildReport(disk, directory);

    expect(summary).toMatchObject({ achieved_rate: 400, planned_rate: 450, tx_failed_ratio: 0.01 });
    expect(summary.achieved_rate_ratio).toBeCloseTo(8 / 9, 9);
  });

  it('shows a constant load as constant despite clock offsets of its edges', async () => {
    await makeRun(disk, directory, { clocksUs: [7_000_000, -3_500_000] });

    const { throughput } = await buildReport(disk, directory);

    const load = throughput.slice(0, 10);
    expect(throughput.length).toBeLessThanOrEqual(12);
    for (const { sent } of load) expect(Math.abs(sent - 40)).toBeLessThanOrEqual(2);
  });

  it('has no partial first or last second, and includes seconds without events', async () => {
    const run = await makeRun(disk, directory);
    const startUs = (run.started_at_us ?? 0) - 400_000;
    const stages = [{ ...stageOf(run), from_us: startUs, to_us: startUs + 10_300_000 }];
    await writeRecord(disk, directory, { ...run, started_at_us: startUs, stages });

    const { throughput } = await buildReport(disk, directory);

    expect(throughput.map(({ seconds }) => seconds).slice(0, 11)).toEqual([
      ...Array.from({ length: 9 }, () => 1),
      1.3,
      1,
    ]);
    expect(throughput[9]).toMatchObject({ planned: 52, sent: 52 });
    expect(throughput[0]).toMatchObject({
      at: new Date(startUs / 1_000).toISOString(),
      planned: 40,
      sent: 24,
    });
  });

  it('counts the latencies within the bounds of each histogram bar', async () => {
    await makeRun(disk, directory);

    const { latency } = await buildReport(disk, directory);
    const sendAck = latency.send_ack?.histogram ?? [];
    expect(sendAck.length).toBeGreaterThan(3);
    const rows = await measuredAcks(directory);
    const bounds = sendAck.map(({ le }) => le * 1_000);
    expect(sendAck.map(({ count }) => count)).toEqual(
      bounds.map((le, at) => rows.filter((us) => us <= le && us > (bounds[at - 1] ?? -1)).length),
    );
  });

  it('has a separate bar for latencies above the last bound', async () => {
    await makeRun(disk, directory, { lastAckLateUs: 101_000_000 });

    const { latency } = await buildReport(disk, directory);

    expect(latency.send_ack?.histogram.at(-1)).toEqual({ le: Number.MAX_SAFE_INTEGER, count: 2 });
    expect(latency.send_ack?.max).toBeGreaterThan(101_000);
    expect(latency.send_feed?.histogram.at(-1)?.le).toBeLessThan(100_000);
  });

  it('computes percentiles of the measured rows only', async () => {
    await makeRun(disk, directory);

    const { latency } = await buildReport(disk, directory);

    expect(latency.send_feed?.count).toBe(312);
    expect(latency.send_ack?.count).toBe(320);
    expect(latency.intended_feed?.p50).toBeGreaterThan(latency.send_feed?.p50 ?? Infinity);
    expect(latency.send_feed?.histogram.reduce((sum, { count }) => sum + count, 0)).toBe(312);
    expect(latency.send_feed?.p99).toBeLessThanOrEqual(latency.send_feed?.max ?? 0);
  });

  it('has a row for a kind of the mix of which nothing was sent', async () => {
    const run = await makeRun(disk, directory);
    await writeRecord(disk, directory, { ...run, scenario: { mix: [{ kind: 'deploy' }] } });

    const { kinds } = await buildReport(disk, directory);

    expect(kinds.at(-1)).toMatchObject({ kind: 'deploy', planned: 0, sent: 0, included: 0 });
  });

  it('counts each second, each kind, each edge and each class of failure', async () => {
    await makeRun(disk, directory);

    const { throughput, kinds, edges, errors, feed } = await buildReport(disk, directory);

    expect(throughput.slice(0, 10).map(({ planned, sent }) => [planned, sent])).toEqual(
      Array(10).fill([40, 40]),
    );
    expect(throughput.reduce((sum, { included }) => sum + included, 0)).toBe(388);
    expect(kinds.map(({ kind, planned }) => [kind, planned])).toEqual([
      ['transfer', 312],
      ['erc20_transfer', 80],
      ['invalid_nonce', 8],
    ]);
    expect(edges.map(({ edge_id, planned, cpu_share }) => [edge_id, planned, cpu_share])).toEqual([
      ['edge-1', 200, 0.43],
      ['edge-2', 200, 0.43],
    ]);
    expect(errors.map(({ class: name, expected, count }) => [name, expected, count])).toEqual([
      ['queue_timeout', false, 4],
      ['nonce_too_low', true, 8],
    ]);
    const faults = { gaps: 3, duplicates: 2, reorganisations: 1, disconnects: 4, garbage: 5 };
    expect(edges[0]?.feed).toEqual({ messages: 40, ...faults, correlation_misses: 0 });
    expect(feed).toEqual({ messages: 80, ...faults, correlation_misses: 1 });
  });

  it('uses the counters of an edge even if its rows are missing', async () => {
    const run = await makeRun(disk, directory);
    const [lost, ...others] = run.edges;
    const more = { planned: 210, sent: 205, not_sent: 5, unknown: 5 };
    const edges =
      lost === undefined ? [] : [{ ...lost, end: 'lost', tally: { ...lost.tally, ...more } }, ...others];
    await writeRecord(disk, directory, { ...run, edges });

    expect((await buildReport(disk, directory)).edges[0]).toMatchObject({ end: 'lost', ...more });
  });

  it('shows violations with the calls that reproduce them', async () => {
    await makeRun(disk, directory, {
      record: {
        oracle: { gas: { verdict: 'fail', coverage: { checked: 1, total: 1 }, violation_count: 7 } },
      },
      violations: [
        {
          check: 'gas',
          kind: 'gas_over_limit',
          account: numbered(20, 9),
          hash: numbered(32, 8),
          nonce: 3,
          block_number: 12,
          expected: 'gas ≤ 21000',
          observed: 'gas 21001',
          receipt_json: '{"gasUsed":"0x5209"}',
          calls_json: '[{"method":"eth_getTransactionReceipt","params":["0x08"]}]',
          at_us: 1,
          note: 'the only one',
        },
      ],
    });

    const { oracle } = await buildReport(disk, directory);

    expect(Object.keys(oracle)).toEqual(['gas']);
    expect(oracle.gas).toMatchObject({ verdict: 'fail', violation_count: 7, gaps: [] });
    expect(oracle.gas?.violations).toEqual([
      expect.objectContaining({
        hash: `0x${'0'.repeat(63)}8`,
        nonce: 3,
        receipt: { gasUsed: '0x5209' },
        calls: [{ method: 'eth_getTransactionReceipt', params: ['0x08'] }],
        note: 'the only one',
      }),
    ]);
  });

  it('reports unbalanced counts of a run', async () => {
    const run = await makeRun(disk, directory);
    await writeRecord(disk, directory, { ...run, tally: { ...run.tally, unknown: 1 } });

    const { summary, verdict } = await buildReport(disk, directory);
    expect(summary.is_balanced).toBe(false);
    expect(verdict.reasons[0]).toMatchObject({ code: 'counts_unbalanced' });
  });
});

describe('the cached report', () => {
  it('is reused, and rebuilt when run.json changes', async () => {
    const run = await makeRun(disk, directory);
    const first = await buildReport(disk, directory);
    const kept = readFileSync(join(directory, 'report.json'), 'utf8');
    writeFileSync(join(directory, 'report.json'), kept.replace('"name":"smoke"', '"name":"kept"'));

    expect(await buildReport(disk, directory)).toEqual({ ...first, name: 'kept' });

    await writeRecord(disk, directory, { ...run, name: 'another' });
    expect((await buildReport(disk, directory)).name).toBe('another');
  });

  it('is not returned if a part was deleted', async () => {
    const run = await makeRun(disk, directory);
    await buildReport(disk, directory);
    rmSync(join(directory, partOf(run, 'balances')));

    await expect(buildReport(disk, directory)).rejects.toMatchObject({
      code: 'REPORT_DATA_MISSING',
      details: { file: partOf(run, 'balances') },
    });
  });

  it.each(['{"key":', '{"key":"\xff"}', 'null'])('is rebuilt if it is damaged: %j', async (damaged) => {
    await makeRun(disk, directory);
    writeFileSync(join(directory, 'report.json'), damaged, 'latin1');

    expect((await buildReport(disk, directory)).name).toBe('smoke');
  });
});

describe('a run recorded by an earlier version', () => {
  it('has a report despite fewer columns and no findings', async () => {
    cpSync(join(import.meta.dirname, '../test/data/run-without-findings'), directory, { recursive: true });

    const report = await buildReport(disk, directory);

    expect(report.summary).toMatchObject({ planned: 30, sent: 30, included: 28, is_balanced: true });
    expect(report.latency.intended_feed?.count).toBe(10);
    expect(report.latency.intended_block).toBeNull();
    expect(report.throughput.slice(0, 3).map(({ sent }) => sent)).toEqual([10, 10, 10]);
    expect(report.edges.map(({ sent, feed }) => [sent, feed.messages])).toEqual([
      [15, 12],
      [15, 12],
    ]);
    expect(report.verdict.reasons.map(({ code }) => code)).toContain('counts_missing');
    expect(renderHtml(report)).toContain(report.headline.slice(0, 'Failed'.length));
    expect(report.headline).toMatch(/^Failed/);
  });

  it('must have every listed part', async () => {
    cpSync(join(import.meta.dirname, '../test/data/run-without-findings'), directory, { recursive: true });
    rmSync(join(directory, 'feed-part-00001.parquet'));

    await expect(buildReport(disk, directory)).rejects.toMatchObject({ code: 'REPORT_DATA_MISSING' });
  });
});

describe('a run whose data changed', () => {
  it.each([
    ['cut', (path: string) => truncateSync(path, 40)],
    ['emptied', (path: string) => truncateSync(path, 0)],
    ['replaced', (path: string) => writeFileSync(path, 'PAR1 and no more, PAR1')],
  ])('has no report, but an error that names the file that was %s', async (_, damage) => {
    const run = await makeRun(disk, directory);
    damage(join(directory, partOf(run, 'transactions')));

    await expect(buildReport(disk, directory)).rejects.toMatchObject({
      code: 'REPORT_DATA_UNREADABLE',
      message: expect.stringContaining(partOf(run, 'transactions')),
    });
  });

  it.each(['transactions', 'feed'])(
    'is refused when pages of %s are damaged behind a good footer',
    async (table) => {
      const run = await makeRun(disk, directory);
      const path = join(directory, partOf(run, table));
      const bytes = readFileSync(path);
      bytes.fill(0xa5, 4, Math.floor(bytes.length / 2));
      writeFileSync(path, bytes);

      await expect(buildReport(disk, directory)).rejects.toMatchObject({ code: 'REPORT_DATA_UNREADABLE' });
    },
  );

  it.each(['{"run_id":', '{"run_id":"\xff"}'])('is refused for a damaged record: %j', async (damaged) => {
    await makeRun(disk, directory);
    writeFileSync(join(directory, 'run.json'), damaged, 'latin1');

    await expect(buildReport(disk, directory)).rejects.toMatchObject({
      code: 'REPORT_DATA_UNREADABLE',
      message: expect.stringContaining('run.json'),
    });
  });

  it('fails with RUN_NOT_FINISHED while it is running', async () => {
    const run = await makeRun(disk, directory);
    await writeRecord(disk, directory, { ...run, status: 'Running' });

    await expect(buildReport(disk, directory)).rejects.toMatchObject({ code: 'RUN_NOT_FINISHED' });
  });

  it('fails with NOT_FOUND without a run.json', async () => {
    await expect(buildReport(disk, directory)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
