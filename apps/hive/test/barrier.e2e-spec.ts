import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunView } from '#load/coordination';
import { TestEdge, type TestEdgeOptions } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { OPEN_SCENARIO as SCENARIO } from './support/test-scenario.ts';

describe('a run that is Starting', () => {
  let hive: TestHive;
  const edges: TestEdge[] = [];

  beforeEach(async () => {
    hive = await TestHive.start();
  });
  afterEach(async () => {
    await Promise.all(edges.splice(0).map((edge) => edge.crash()));
    await hive.remove();
  });

  async function connect(edgeId: string, options: Partial<TestEdgeOptions> = {}): Promise<TestEdge> {
    const edge = await TestEdge.connect(edgeId, { address: hive.grpcAddress, ...options });
    edges.push(edge);
    return edge;
  }

  const isWaitingFor =
    (...edgeIds: readonly string[]) =>
    ({ waiting_for: waiting }: RunView): boolean =>
      [...waiting].sort().join() === edgeIds.join();
  const isRunning = ({ status, phase }: RunView): boolean => status === 'Running' && phase === 'steady';

  it('is accepted without registered edges, and waits', async () => {
    const run = await hive.begin(SCENARIO);

    expect(run).toMatchObject({
      status: 'Starting',
      phase: 'waiting_for_edges',
      waiting_for: [],
      refusals: [],
    });
    expect(await hive.run(run.run_id)).toMatchObject({ status: 'Starting', phase: 'waiting_for_edges' });
  });

  it('is aborted after its limit, and leaves its edges to the next one', async () => {
    const silent = { refusal: () => ({ code: 'rpc_unreachable', reason: 'not yet' }) as const };
    await connect('a', silent);
    const { run_id: runId } = await hive.begin({ ...SCENARIO, edges: { start_timeout: '1ms' } });

    expect(await hive.end(runId)).toMatchObject({ status: 'Failed', reason: 'aborted', waiting_for: [] });
    const next = await hive.begin(SCENARIO);
    await hive.until(next.run_id, isWaitingFor('a'));
  });

  it('is aborted after its limit by a restarted hive', async () => {
    const { run_id: runId } = await hive.begin({ ...SCENARIO, edges: { start_timeout: '24h', min: 2 } });
    await hive.stop();
    const file = join(hive.directory, 'runs', runId, 'run.json');
    const record = JSON.parse(await readFile(file, 'utf8')) as { created_at_us: number };
    const created_at_us = record.created_at_us - 24 * 3_600 * 1e6;
    await writeFile(file, JSON.stringify({ ...record, created_at_us }));
    hive = await TestHive.start({ directory: hive.directory });

    expect(await hive.end(runId)).toMatchObject({
      status: 'Failed',
      reason: 'aborted',
      findings: [
        {
          code: 'not_started',
          message: 'it did not start within 86400 s: expected 2 edges, 0 are registered',
        },
      ],
    });
  });

  it('starts when an edge registers', async () => {
    const { run_id: runId } = await hive.begin(SCENARIO);

    await connect('a');

    expect(await hive.until(runId, isRunning)).toMatchObject({ waiting_for: [], phase: 'steady' });
  });

  it('waits for the minimum number of edges, and sends no plan before', async () => {
    const first = await connect('a');
    const { run_id: runId } = await hive.begin({ ...SCENARIO, edges: { min: 2 } });

    expect(await hive.run(runId)).toMatchObject({ phase: 'waiting_for_edges', edges_min: 2 });
    expect(first.plan).toBeUndefined();
    await connect('b');

    await hive.until(runId, isRunning);
  });

  it('waits for a registered but disconnected edge until it is deleted', async () => {
    const [gone, there] = [await connect('gone'), await connect('there')];
    await gone.crash();
    const { run_id: runId } = await hive.begin(SCENARIO);

    expect(await hive.until(runId, isWaitingFor('gone'))).toMatchObject({ phase: 'awaiting_acks' });
    expect((await hive.call('DELETE', '/edges/gone')).status).toBe(204);

    await hive.until(runId, isRunning);
    expect(there.plan?.accounts).toMatchObject({ first: 0, count: 10 });
  });

  it('waits for an edge that crashed before the start until it restarts', async () => {
    const silent = { refusal: () => ({ code: 'rpc_unreachable', reason: 'not yet' }) as const };
    const crashed = await connect('a', silent);
    await connect('b');
    const { run_id: runId } = await hive.begin(SCENARIO);
    await hive.until(runId, ({ refusals }) => refusals.length === 1);
    await crashed.crash();

    expect(await hive.run(runId)).toMatchObject({ status: 'Starting', waiting_for: ['a'] });
    await connect('a', { instanceId: '2' });

    await hive.until(runId, isRunning);
  });

  it('discards the acknowledgement of a restarted edge', async () => {
    const first = await connect('a');
    const { run_id: runId } = await hive.begin({ ...SCENARIO, edges: { min: 1 } });
    await hive.until(runId, isRunning);
    await hive.json(202, 'POST', `/runs/${runId}/stop`, { mode: 'abort' });
    first.progress('done');
    await hive.end(runId);
    await connect('b', { refusal: () => ({ code: 'feed_unreachable', reason: 'later' }) });

    const next = await hive.begin(SCENARIO);
    await hive.until(next.run_id, isWaitingFor('b'));
    await connect('a', { instanceId: '2', refusal: () => ({ code: 'feed_unreachable', reason: 'later' }) });

    expect(await hive.until(next.run_id, isWaitingFor('a', 'b'))).toMatchObject({ status: 'Starting' });
    await first.has('evicted');
  });

  it('divides accounts and load again when an edge joins', async () => {
    const first = await connect('a', { refusal: ({ revision }) => (revision < 2 ? NOT_YET : undefined) });
    const { run_id: runId } = await hive.begin(SCENARIO);
    await first.has('prepare 1');
    const second = await connect('b');
    await hive.until(runId, isRunning);

    expect([first, second].map(({ plan }) => plan?.accounts)).toMatchObject([
      { first: 0, count: 5 },
      { first: 5, count: 5 },
    ]);
    expect([first, second].map(({ plan }) => plan?.load.stages[0]?.startRate)).toEqual([50, 50]);
    expect(first.plan?.randomSeed).not.toBe(second.plan?.randomSeed);
  });

  const NOT_YET = { code: 'accounts_unfunded', reason: 'the funder has 5 wei' } as const;

  it('shows rejections, and sends rejected plans again', async () => {
    let isWell = false;
    await connect('a', { refusal: () => (isWell ? undefined : NOT_YET) });
    const { run_id: runId } = await hive.begin(SCENARIO);

    const refused = await hive.until(runId, ({ refusals }) => refusals.length > 0);
    expect(refused).toMatchObject({
      status: 'Starting',
      waiting_for: ['a'],
      refusals: [{ edge_id: 'a', code: 'accounts_unfunded', reason: 'the funder has 5 wei' }],
    });
    isWell = true;

    expect(await hive.until(runId, isRunning)).toMatchObject({ refusals: [] });
  });

  it('lists an edge without accounts as refused', async () => {
    for (const edgeId of ['a', 'b', 'c']) await connect(edgeId);
    const { run_id: runId } = await hive.begin({ ...SCENARIO, accounts: { ...SCENARIO.accounts, count: 2 } });

    const refused = await hive.until(runId, isWaitingFor('c'));
    expect(refused.refusals).toMatchObject([{ edge_id: 'c', code: 'nothing_to_do' }]);
    await hive.call('DELETE', '/edges/c');

    await hive.until(runId, isRunning);
  });

  it.each(['drain', 'abort'])('fails after %s, with an empty report', async (mode) => {
    const edge = await connect('a', { refusal: () => NOT_YET });
    const { run_id: runId } = await hive.begin(SCENARIO);
    await edge.has('prepare 1');

    const stopped = await hive.json<RunView>(202, 'POST', `/runs/${runId}/stop`, { mode });

    expect(['Starting', 'Failed']).toContain(stopped.status);
    expect(await hive.end(runId)).toMatchObject({ status: 'Failed', phase: null, reason: 'aborted' });
    expect(await hive.json(200, 'GET', `/runs/${runId}/report`)).toMatchObject({
      status: 'Failed',
      summary: { planned: 0, sent: 0 },
    });
    await edge.has('abort');
  });

  it('excludes another run', async () => {
    const { run_id: runId } = await hive.begin(SCENARIO);

    expect(await hive.json(409, 'POST', '/runs', SCENARIO)).toMatchObject({
      error: 'RUN_ACTIVE',
      details: { run_id: runId },
    });
  });

  it('has no report yet', async () => {
    const { run_id: runId } = await hive.begin(SCENARIO);

    expect(await hive.json(409, 'GET', `/runs/${runId}/report`)).toMatchObject({ error: 'RUN_NOT_FINISHED' });
  });

  it('waits for every registered edge after a restart of the hive', async () => {
    const edge = await connect('a', { refusal: () => NOT_YET });
    const { run_id: runId } = await hive.begin(SCENARIO);
    await hive.until(runId, ({ refusals }) => refusals.length > 0);
    const { directory, grpcPort } = hive;
    await edge.crash();
    await hive.stop();

    hive = await TestHive.start({ directory, grpcPort });

    expect(await hive.run(runId)).toMatchObject({ status: 'Starting', waiting_for: ['a'] });
    expect(await hive.json(200, 'GET', '/edges')).toMatchObject({
      edges: [{ edge_id: 'a', status: 'disconnected', last_heartbeat_at: null }],
    });
    await connect('a', { instanceId: '2' });
    await hive.until(runId, isRunning);
  });
});
