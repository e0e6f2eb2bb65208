import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { HiveRunRecord, RunView } from '#load/coordination';
import type { Report } from '#load/report';
import { runHive } from './support/built-hive.ts';
import { LoadSite } from './support/load-site.ts';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { transaction } from './support/test-rows.ts';
import { OPEN_SCENARIO, SCENARIO } from './support/test-scenario.ts';

describe('POST /runs/{run_id}/rate', () => {
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

  async function running(scenario: object = OPEN_SCENARIO): Promise<string> {
    const { run_id: runId } = await hive.begin(scenario);
    await hive.until(runId, ({ phase }) => phase === 'steady');
    return runId;
  }

  it('gives each edge its share, and shows which have applied it', async () => {
    const runId = await running();
    expect(await hive.run(runId)).toMatchObject({ target_rate: 100, rate_changes: [] });
    await hive.json(202, 'POST', `/runs/${runId}/rate`, { rate: 500 });
    await Promise.all([a, b].map((edge) => edge.has('rate 1: 250')));

    const isApplied = ({ rate_changes: [first] }: RunView): boolean => first?.edges.length === 2;
    expect((await hive.until(runId, isApplied)).rate_changes).toEqual([
      { at: expect.any(String), rate: 500, edges: ['a', 'b'] },
    ]);
  });

  it('repeats all changes to an edge that reconnects', async () => {
    const runId = await running();
    await hive.json(202, 'POST', `/runs/${runId}/rate`, { rate: 500 });
    await hive.json(202, 'POST', `/runs/${runId}/rate`, { rate: 0 });
    await a.has('rate 2: 0');
    hive.hive.sessions.channel('a')?.close('the network broke');

    await Promise.all([a.has('rate 1: 250', 2), a.has('rate 2: 0', 2)]);
  });

  it('plans with the new rate, and names an edge that did not apply it', async () => {
    const runId = await running();
    a.ignoresRates = true;
    await hive.json(202, 'POST', `/runs/${runId}/rate`, { rate: 1_000 });
    await b.has('rate 1: 500');
    await hive.until(runId, ({ rate_changes: [first] }) => first?.edges.includes('b') === true);
    await hive.json(202, 'POST', `/runs/${runId}/stop`, { mode: 'drain' });
    for (const edge of [a, b]) edge.progress('done');

    const { progress, findings } = await hive.end(runId);
    const record = await hive.json<HiveRunRecord>(200, 'GET', `/runs/${runId}/files/run.json`);
    const plannedBy = new Map(record.edges.map(({ edge_id: id, tally }) => [id, tally.planned]));
    const planned = [plannedBy.get('a'), plannedBy.get('b')];
    // An hour at a share of 50 a second, and at 500.
    expect(planned[0]).toBeGreaterThan(170_000);
    expect(planned[0]).toBeLessThan(190_000);
    expect(planned[1]).toBeGreaterThan(1_000_000);
    expect(progress['planned']).toBe(progress['sent'] + progress['not_sent']);
    expect(findings).toContainEqual(expect.objectContaining({ code: 'rate_not_applied', edge_id: 'a' }));
    expect(findings).not.toContainEqual(expect.objectContaining({ code: 'rate_not_applied', edge_id: 'b' }));
  });

  it('keeps the changes in the report, also by another process', async () => {
    const runId = await running();
    await hive.json(202, 'POST', `/runs/${runId}/rate`, { rate: 12.5 });
    await hive.until(runId, ({ rate_changes: [first] }) => first?.edges.length === 2);
    a.record('transactions', transaction(1));
    await a.flush();
    for (const edge of [a, b]) edge.progress('done', { planned: 1, sent: 1, included: 1 });
    const { rate_changes: shown } = await hive.end(runId);
    await hive.stop();
    hive = await TestHive.start({ directory: hive.directory });

    const { rate_changes: changes } = await hive.json<Report>(200, 'GET', `/runs/${runId}/report`);
    expect(changes).toEqual([
      {
        at: shown[0]?.at,
        rate: 12.5,
        edges: ['a', 'b'].map((id) => ({ edge_id: id, at: expect.any(String) })),
      },
    ]);
    const page = await hive.call('GET', `/runs/${runId}/report?format=html`);
    expect(page.text).toContain('Changes of the rate');
    expect(page.text).toContain('12.5 tx/s');
  });

  it('is refused without a rate, and outside of the load', async () => {
    a.isReadyAtOnce = false;
    const { run_id: runId } = await hive.begin(OPEN_SCENARIO);
    const path = `/runs/${runId}/rate`;
    await a.has('make ready');
    expect(await hive.json(409, 'POST', path, { rate: 1 })).toMatchObject({ error: 'RUN_NOT_SENDING' });
    for (const rate of [-1, 1e9, '5', null]) {
      expect(await hive.json(400, 'POST', path, { rate })).toMatchObject({ error: 'INVALID_REQUEST' });
    }
    await hive.call('POST', `/runs/${runId}/stop`, { mode: 'abort' });
    for (const edge of [a, b]) edge.progress('done');
    await hive.end(runId);
    expect(await hive.json(409, 'POST', path, { rate: 1 })).toMatchObject({ error: 'RUN_ENDED' });
    expect(await hive.json(404, 'POST', '/runs/r-none/rate', { rate: 1 })).toMatchObject({
      error: 'NOT_FOUND',
    });
  });

  it('is refused for a load of users', async () => {
    const runId = await running(SCENARIO);

    expect(await hive.json(400, 'POST', `/runs/${runId}/rate`, { rate: 1 })).toMatchObject({
      message: expect.stringContaining('closed'),
    });
  });
});

describe('plexus-hive rate', () => {
  let site: LoadSite;

  beforeAll(async () => {
    // On a busy machine an edge may be silent for long.
    site = await LoadSite.startWith({ PLEXUS_HIVE_EDGE_LOSS_TIMEOUT: '600s' }, ['a', 'b']);
  }, 60_000);
  afterAll(() => site.close());

  it('changes the rate of all edges, and the counts still add up', async () => {
    const { runId } = await site.begin({ stages: [{ duration: '1h', rate: 4 }] });
    await site.until(runId, ({ phase }) => phase === 'steady');

    expect(await runHive('rate', runId, '40', '--url', site.hive.url)).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining(`${runId}: 40 transactions a second from`),
    });
    await site.until(runId, ({ rate_changes: [first] }) => first?.edges.length === 2);
    await site.until(runId, ({ progress }) => progress.included > 20);
    await site.hive.post(`/runs/${runId}/stop`, { mode: 'drain' });
    await site.until(runId, ({ status }) => status === 'Completed');

    const report = await site.hive.json<Report>(`/runs/${runId}/report`);
    expect(report.rate_changes).toMatchObject([{ rate: 40, edges: [{ edge_id: 'a' }, { edge_id: 'b' }] }]);
    expect(report.summary.is_balanced).toBe(true);
    // An hour at 40 a second is 144,000, at 4 a second it is 14,400.
    expect(report.summary.planned).toBeGreaterThan(100_000);
    expect(report.oracle.nonce?.verdict).not.toBe('fail');
    expect(report.findings.map(({ code: found }) => found)).not.toContain('rate_not_applied');
  }, 300_000);

  it.each([
    [['nonsense', '1'], 'expected the id of a run'],
    [['r-x', '-1'], ''],
    [['r-x', 'fast'], 'expected a rate'],
  ])('rejects %j', async (args, message) => {
    expect(await runHive('rate', ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  });
});
