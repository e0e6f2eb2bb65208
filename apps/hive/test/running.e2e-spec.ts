import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunView } from '#load/coordination';
import { TABLE_NAMES } from '#load/telemetry';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { GREEDY_RECEIPT, histogramOf, transaction } from './support/test-rows.ts';
import { SCENARIO } from './support/test-scenario.ts';

const ALL = { planned: 4, sent: 3, notSent: 1, acked: 3, included: 2, rejected: 1 };

describe('a run that is Running', () => {
  let hive: TestHive;
  let a: TestEdge;
  let b: TestEdge;

  beforeEach(async () => {
    hive = await TestHive.start();
    const address = hive.grpcAddress;
    [a, b] = await Promise.all([TestEdge.connect('a', { address }), TestEdge.connect('b', { address })]);
  });
  afterEach(async () => {
    await Promise.all([a.crash(), b.crash()]);
    await hive.remove();
  });

  const isIn =
    (phase: string) =>
    (run: RunView): boolean =>
      run.phase === phase;

  async function running(scenario: object = SCENARIO): Promise<string> {
    const { run_id: runId } = await hive.begin(scenario);
    await hive.until(runId, isIn('steady'));
    return runId;
  }

  async function bothSay(phase: 'draining' | 'settling' | 'done', tally = {}): Promise<void> {
    for (const edge of [a, b]) edge.progress(phase, tally);
    await Promise.resolve();
  }

  it('starts all edges once every edge is ready', async () => {
    b.isReadyAtOnce = false;
    const { run_id: runId } = await hive.begin(SCENARIO);
    await Promise.all([a, b].map((edge) => edge.has('make ready')));
    expect(await hive.run(runId)).toMatchObject({ phase: 'presigning', started_at: null });
    expect(a.lines).not.toContain('start');

    b.progress('ready');
    await Promise.all([a, b].map((edge) => edge.has('start')));

    expect((await hive.until(runId, isIn('steady'))).started_at).not.toBeNull();
  });

  it('shows the phase warmup during an excluded stage', async () => {
    const stages = [
      { duration: '1h', rate: 1, exclude: true },
      { duration: '1h', rate: 1 },
    ];
    const { run_id: runId } = await hive.begin({ ...SCENARIO, load: { stages } });

    expect(await hive.until(runId, isIn('warmup'))).toMatchObject({ stage: 'stage 1', planned_s: 7_200 });
  });

  it('follows its edges to the end, and sums their tallies', async () => {
    const runId = await running();
    const phases: (string | null)[] = [];
    for (const phase of ['draining', 'settling'] as const) {
      await bothSay(phase, ALL);
      phases.push((await hive.until(runId, isIn(phase))).phase);
    }
    for (const edge of [a, b]) edge.progress('done', ALL, { intended_feed: histogramOf(100_000, 200_000) });

    const run = await hive.end(runId);

    expect(phases).toEqual(['draining', 'settling']);
    expect(run).toMatchObject({
      status: 'Completed',
      phase: null,
      reason: null,
      is_degraded: false,
      progress: { planned: 8, sent: 6, not_sent: 2, included: 4, rejected: 2, unknown: 0, in_flight: 0 },
      edges: [
        { edge_id: 'a', state: 'done', sent: 3 },
        { edge_id: 'b', state: 'done', sent: 3 },
      ],
    });
    expect(run.findings.map(({ code }) => code)).toEqual(['generator_limited']);
  });

  it('shows percentiles merged over edges while Running', async () => {
    const runId = await running();
    a.progress('running', { sent: 2 }, { intended_feed: histogramOf(1_000, 1_000, 1_000) });
    b.progress('running', { sent: 1 }, { intended_feed: histogramOf(9_000_000) });

    const { latencies } = await hive.until(runId, (run) => run.latencies['feed_latency']?.count === 4);

    expect(latencies['feed_latency']?.p50).toBeCloseTo(1, 1);
    expect(latencies['feed_latency']?.max).toBeCloseTo(9_000, -2);
  });

  it('shows its percentiles after its end, also by another process', async () => {
    const runId = await running();
    a.progress('done', { sent: 2 }, { intended_feed: histogramOf(1_000, 1_000, 1_000) });
    b.progress('done', { sent: 1 }, { intended_feed: histogramOf(9_000_000) });
    const ended = await hive.end(runId);
    await hive.stop();
    hive = await TestHive.start({ directory: hive.directory });

    expect(ended.latencies['feed_latency']?.count).toBe(4);
    expect((await hive.run(runId)).latencies).toEqual(ended.latencies);
  });

  it('stores telemetry in Parquet files, and reports on them', async () => {
    const runId = await running();
    for (const [i, edge] of [a, b].entries()) {
      edge.record('transactions', transaction(i));
      edge.record('transactions', transaction(i + 2));
      await edge.flush();
    }
    await bothSay('done', { planned: 2, sent: 2, included: 2 });
    await hive.end(runId);

    const report = await hive.json(200, 'GET', `/runs/${runId}/report`);
    expect(report).toMatchObject({
      status: 'Completed',
      summary: { planned: 4, included: 4, is_balanced: true },
      kinds: [{ kind: 'transfer', included: 4 }],
      oracle: { nonce: { verdict: 'inconclusive' }, gas: { verdict: 'inconclusive' } },
    });
    const names = await readdir(join(hive.directory, 'runs', runId));
    expect(names.filter((name) => name.endsWith('.parquet'))).toHaveLength(TABLE_NAMES.length);
    expect(names.filter((name) => /journal|open|tmp|ballast/.test(name))).toEqual([]);
  });

  it('counts violations as they are found, with evidence in the report', async () => {
    const runId = await running();
    a.record('receipts', GREEDY_RECEIPT);
    await a.flush();

    expect((await hive.until(runId, ({ violations }) => violations['gas'] === 1)).status).toBe('Running');
    expect((await hive.call('GET', '/metrics')).text).toContain(
      'plexus_oracle_violations_total{check="gas"} 1',
    );
    await bothSay('done');
    await hive.end(runId);

    expect(await hive.json(200, 'GET', `/runs/${runId}/report`)).toMatchObject({
      oracle: {
        gas: {
          verdict: 'fail',
          violation_count: 1,
          violations: [{ edge_id: 'a', nonce: 0, block_number: 5, receipt: { status: '0x1' } }],
        },
      },
    });
  });

  it('drains at a violation if the scenario sets on_violation to stop', async () => {
    const runId = await running({ ...SCENARIO, oracle: { on_violation: 'stop' } });
    b.record('receipts', GREEDY_RECEIPT);
    await b.flush();
    await Promise.all([a, b].map((edge) => edge.has('drain')));
    await bothSay('done');

    expect(await hive.end(runId)).toMatchObject({ status: 'Completed', reason: 'oracle_violation' });
  });

  it('drains as soon as a threshold with abort_on_fail is missed', async () => {
    const thresholds = [
      { metric: 'tx_failed_ratio', max: 0.1, abort_on_fail: true },
      { metric: 'not_sent', max: 5 },
    ];
    const runId = await running({ ...SCENARIO, thresholds });
    a.progress('running', { sent: 10, failedUnexpected: 2 });
    await a.has('drain');
    await bothSay('done');

    expect(await hive.end(runId)).toMatchObject({
      status: 'Completed',
      reason: 'threshold_missed',
      thresholds: [
        { metric: 'tx_failed_ratio', value: 0.2, is_met: false },
        { metric: 'not_sent', value: 0, is_met: true },
        { metric: 'tx_lost', is_met: true, is_default: true },
        { metric: 'feed_anomalies', is_met: true, is_default: true },
      ],
    });
  });

  it('completes after a drain, and rejects another stop', async () => {
    const runId = await running();
    await hive.json(202, 'POST', `/runs/${runId}/stop`, { mode: 'drain' });
    await Promise.all([a, b].map((edge) => edge.has('drain')));
    await bothSay('done');

    expect(await hive.end(runId)).toMatchObject({ status: 'Completed', reason: 'drained' });
    expect(await hive.json(409, 'POST', `/runs/${runId}/stop`, { mode: 'drain' })).toMatchObject({
      error: 'RUN_ENDED',
    });
  });

  it('fails after an abort, with a report of the delivered telemetry', async () => {
    const runId = await running();
    a.record('transactions', transaction(1));
    await a.flush();
    await hive.json(202, 'POST', `/runs/${runId}/stop`, { mode: 'abort' });
    await Promise.all([a, b].map((edge) => edge.has('abort')));
    a.progress('done', { planned: 1, sent: 1, included: 1 });

    expect(await hive.end(runId)).toMatchObject({
      status: 'Failed',
      reason: 'aborted',
      edges: [{ state: 'done' }, { state: 'lost', reason: 'it did not settle in time' }],
    });
    expect(await hive.json(200, 'GET', `/runs/${runId}/report`)).toMatchObject({
      reason: 'aborted',
      summary: { planned: 1 },
    });
    a.record('transactions', transaction(2));
    await a.flush();
    expect(a.lines).toContain('refused RUN_ENDED');
  });

  it('takes the telemetry of the edges that it names only', async () => {
    const runId = await running({ ...SCENARIO, edges: { ids: ['a'] } });
    a.record('transactions', transaction(1));
    await a.flush();
    b.record('transactions', transaction(2));
    await b.flush(runId);
    a.progress('done', { planned: 1, sent: 1, included: 1 });

    expect(await hive.end(runId)).toMatchObject({
      status: 'Completed',
      edges: [{ edge_id: 'a', state: 'done' }],
    });
    expect(b.lines).toEqual(['connected', 'refused RUN_ENDED']);
    expect(a.lines).not.toContain('refused RUN_ENDED');
  });

  it('continues degraded without a restarted edge', async () => {
    const runId = await running();
    const again = await TestEdge.connect('b', { address: hive.grpcAddress, instanceId: '2' });
    expect(await hive.until(runId, ({ is_degraded: is }) => is)).toMatchObject({
      status: 'Running',
      findings: [{ code: 'edge_crashed', edge_id: 'b' }],
    });

    a.progress('done');

    expect(await hive.end(runId)).toMatchObject({ status: 'Completed', is_degraded: true });
    expect(again.plan).toBeUndefined();
    await again.crash();
  });

  it('fails after the loss of an edge if the scenario sets fail_on_edge_loss', async () => {
    const runId = await running({ ...SCENARIO, edges: { fail_on_edge_loss: true } });
    await hive.call('DELETE', '/edges/b');
    await a.has('abort');
    a.progress('done');

    expect(await hive.end(runId)).toMatchObject({ status: 'Failed', reason: 'edge_lost' });
  });

  it('fails when no edge is left', async () => {
    const runId = await running();
    await a.leave();
    b.progress('failed');

    expect(await hive.end(runId)).toMatchObject({ status: 'Failed', reason: 'all_edges_lost' });
  });

  it('waits for a disconnected edge, and repeats orders that it may have missed', async () => {
    const runId = await running();
    hive.hive.sessions.channel('a')?.close('the network broke');
    await a.has('disconnected');
    await a.has('connected', 2);
    await a.has('start', 2);

    expect(await hive.run(runId)).toMatchObject({ status: 'Running', is_degraded: false });
  });
});

describe('an edge of a run', () => {
  it('is lost after the edge loss timeout', async () => {
    const hive = await TestHive.start({ times: { edgeLossMs: 2_000 } });
    const [a, b] = [
      await TestEdge.connect('a', { address: hive.grpcAddress }),
      await TestEdge.connect('b', { address: hive.grpcAddress }),
    ];
    const { run_id: runId } = await hive.begin(SCENARIO);
    await hive.until(runId, ({ phase }) => phase === 'steady');

    await a.crash();

    const run = await hive.until(runId, ({ is_degraded: is }) => is);
    expect(run.findings).toContainEqual(expect.objectContaining({ code: 'edge_lost', edge_id: 'a' }));
    await b.crash();
    await hive.end(runId);
    await hive.remove();
  });

  it('is lost if it does not end in time', async () => {
    const hive = await TestHive.start({ times: { overtimeMs: 10 } });
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
    const scenario = {
      ...SCENARIO,
      load: { stages: [{ duration: '10ms', rate: 1 }] },
      correlation: { timeout: '10ms' },
    };
    const { run_id: runId } = await hive.begin(scenario);

    // On a busy machine the edge is lost before its one transaction is sent, which is a second finding.
    expect(await hive.end(runId)).toMatchObject({
      status: 'Failed',
      reason: 'all_edges_lost',
      findings: expect.arrayContaining([
        expect.objectContaining({ code: 'edge_lost', edge_id: 'a', message: 'it did not end in time' }),
      ]),
    });
    await edge.crash();
    await hive.remove();
  });
});
