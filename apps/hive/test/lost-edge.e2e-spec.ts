import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunView } from '#load/coordination';
import type { Report } from '#load/report';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { transaction } from './support/test-rows.ts';
import { SCENARIO } from './support/test-scenario.ts';

describe('a run with a lost edge', () => {
  let hive: TestHive;
  let a: TestEdge;
  let b: TestEdge;

  beforeEach(async () => {
    // A late tick, as on a busy machine, hides silence, so the ticks are further apart here.
    const times = { tickMs: 500, silenceMs: 4_000, edgeLossMs: 600_000 };
    hive = await TestHive.start({ times });
    const address = hive.grpcAddress;
    [a, b] = await Promise.all([TestEdge.connect('a', { address }), TestEdge.connect('b', { address })]);
  });
  afterEach(async () => {
    await Promise.all([a.crash(), b.crash()]);
    await hive.remove();
  });

  async function running(scenario: object = SCENARIO): Promise<string> {
    const { run_id: runId } = await hive.begin(scenario);
    await hive.until(runId, ({ phase }) => phase === 'steady');
    return runId;
  }

  const reportOf = (runId: string): Promise<Report> => hive.json(200, 'GET', `/runs/${runId}/report`);

  it('counts in-flight transactions as unknown, and adds up in the view and the report', async () => {
    const runId = await running();
    a.progress('running', { planned: 9, sent: 7, notSent: 2, included: 1, rejected: 1, inFlight: 5 });
    await hive.until(runId, ({ progress }) => progress.in_flight === 5);

    await hive.call('DELETE', '/edges/a');

    const live = await hive.until(runId, ({ is_degraded: is }) => is);
    expect(live.progress).toMatchObject({ planned: 9, sent: 7, included: 1, unknown: 5, in_flight: 0 });
    b.progress('done', { planned: 3, sent: 3, included: 3 });
    await hive.end(runId);
    const { summary, edges } = await reportOf(runId);
    expect(summary).toMatchObject({
      planned: 12,
      sent: 10,
      not_sent: 2,
      included: 4,
      rejected: 1,
      unknown: 5,
    });
    expect(summary.is_balanced).toBe(true);
    expect(edges.map(({ edge_id: id, end, unknown }) => [id, end, unknown])).toEqual([
      ['a', 'evicted', 5],
      ['b', 'done', 0],
    ]);
  });

  it('does not count in-flight transactions as failures of the target', async () => {
    const runId = await running();
    a.progress('running', { planned: 9, sent: 9, included: 4, inFlight: 5 });
    await hive.until(runId, ({ progress }) => progress.in_flight === 5);

    await hive.call('DELETE', '/edges/a');
    b.progress('done', { planned: 3, sent: 3, included: 3 });
    const { verdict, thresholds } = await hive.end(runId);

    expect(thresholds).toContainEqual(
      expect.objectContaining({ metric: 'tx_failed_ratio', value: 0, is_met: true }),
    );
    expect(verdict?.state).toBe('unknown');
    expect(verdict?.reasons.map(({ code }) => code)).toContain('edge_lost');
  });

  it('counts telemetry rows beyond the last report of an edge', async () => {
    const runId = await running();
    a.progress('running', { planned: 2, sent: 2, included: 1, inFlight: 1 });
    for (let tx = 0; tx < 4; tx++) a.record('transactions', transaction(tx));
    await a.flush();

    await hive.call('DELETE', '/edges/a');
    b.progress('done');
    await hive.end(runId);

    const { summary, kinds } = await reportOf(runId);
    expect(summary).toMatchObject({ planned: 4, sent: 4, included: 4, unknown: 0, is_balanced: true });
    expect(kinds).toMatchObject([{ kind: 'transfer', included: 4 }]);
  });

  it('is inconclusive for unseen transactions, and counts gas over all included transactions', async () => {
    const runId = await running();
    a.progress('running', { planned: 6, sent: 6, included: 6 });
    await hive.until(runId, ({ progress }) => progress.included === 6);
    await hive.call('DELETE', '/edges/a');
    b.progress('done');
    await hive.end(runId);

    const { oracle } = await reportOf(runId);
    expect(oracle).toMatchObject({
      nonce: { verdict: 'inconclusive', gaps: expect.arrayContaining([{ reason: 'edge_lost', count: 5 }]) },
      balance: { verdict: 'inconclusive', gaps: expect.arrayContaining([{ reason: 'edge_lost', count: 5 }]) },
      gas: {
        verdict: 'inconclusive',
        coverage: { checked: 0, total: 6 },
        gaps: [{ reason: 'edge_lost', count: 6 }],
      },
    });
  });

  it('is degraded while an edge is silent, and no longer degraded once the edge reconnects', async () => {
    const runId = await running();
    await a.crash();

    const silent = await hive.until(runId, ({ is_degraded: is }) => is);
    expect(silent.edges).toMatchObject([
      { edge_id: 'a', state: 'running', is_silent: true },
      { edge_id: 'b', is_silent: false },
    ]);
    expect(silent.findings).toEqual([]);
    expect(await hive.json(200, 'GET', '/runs')).toMatchObject({ runs: [{ is_degraded: true }] });
    expect(await hive.json(200, 'GET', '/edges')).toMatchObject({ edges: [{ status: 'disconnected' }, {}] });

    a = await TestEdge.connect('a', { address: hive.grpcAddress });
    await hive.until(runId, ({ is_degraded: is }) => !is);
  });

  /** 400 transactions for each of two edges. */
  const PLANNED = {
    ...SCENARIO,
    load: { stages: [{ duration: '10s', rate: 80 }], arrival: 'uniform' },
  };

  it.each(['a word', 'no word'])(
    'counts the unsent schedule of an evicted edge as not sent, after %s of it',
    async (words) => {
      const runId = await running(PLANNED);
      if (words === 'a word') {
        b.progress('running', { planned: 48, sent: 48, included: 48 });
        await hive.until(runId, ({ progress }) => progress.sent === 48);
      }
      await hive.call('DELETE', '/edges/b');
      a.progress('done', { planned: 400, sent: 400, included: 400 });

      const run = await hive.end(runId);

      const sent = words === 'a word' ? 448 : 400;
      expect(run.progress).toMatchObject({ planned: 800, sent, not_sent: 800 - sent, included: sent });
      expect(run.not_sent).toEqual([{ reason: 'edge_evicted', count: 800 - sent }]);
      expect(run.verdict?.reasons).toContainEqual({
        code: 'threshold_missed',
        message: `achieved_rate_ratio: ${sent / 800}, expected at least 0.98`,
        count: 1,
      });
      const { summary, verdict, headline } = await reportOf(runId);
      expect(summary).toMatchObject({ achieved_rate_ratio: sent / 800, is_balanced: true });
      expect([verdict, headline]).toEqual([run.verdict, run.headline]);
    },
  );

  it('counts transactions left out because of a silent hive as not sent', async () => {
    const runId = await running(PLANNED);
    for (const edge of [a, b]) edge.progress('done', { planned: 285, sent: 285, included: 285 });

    const run = await hive.end(runId);

    expect(run.progress).toMatchObject({ planned: 800, sent: 570, not_sent: 230 });
    expect(run.not_sent).toEqual([{ reason: 'hive_silent', count: 230 }]);
    expect(run.verdict?.state).toBe('failed');
  });

  it('counts transactions left out because of a stop as not sent, also after a restart of the hive', async () => {
    const runId = await running(PLANNED);
    await hive.call('POST', `/runs/${runId}/stop`, { mode: 'drain' });
    for (const edge of [a, b]) edge.progress('done', { planned: 100, sent: 95, notSent: 5, included: 95 });
    const { progress, not_sent: notSent, verdict } = await hive.end(runId);
    expect(progress).toMatchObject({ planned: 800, sent: 190, not_sent: 610 });
    expect(notSent).toEqual([
      { reason: 'stopped', count: 600 },
      { reason: 'late', count: 10 },
    ]);
    await Promise.all([a.crash(), b.crash()]);
    const { directory } = hive;
    await hive.stop();

    hive = await TestHive.start({ directory });

    expect(await hive.run(runId)).toMatchObject({ progress, not_sent: notSent, verdict });
  });

  it('adds up if no edge reconnects after a restart of the hive', async () => {
    const runId = await running();
    for (let tx = 0; tx < 3; tx++) a.record('transactions', transaction(tx));
    await a.flush();
    await Promise.all([a.crash(), b.crash()]);
    const { directory } = hive;
    await hive.stop();

    hive = await TestHive.start({ directory });
    const run = await hive.end(runId);

    expect(run).toMatchObject({ status: 'Failed', reason: 'hive_restarted' });
    const { summary, oracle } = await reportOf(runId);
    expect(summary).toMatchObject({ planned: 3, sent: 3, included: 3, unknown: 0, is_balanced: true });
    expect(oracle.gas).toMatchObject({ verdict: 'inconclusive', coverage: { checked: 0, total: 3 } });
  });

  it('reports the feed counts of each edge', async () => {
    const runId = await running();
    const anomalies = { feedGaps: 1, feedDuplicates: 2, feedReorganisations: 3 };
    const faults = { ...anomalies, feedDisconnects: 4, feedGarbage: 5 };
    a.progress('done', { feedMessages: 50, ...faults });
    b.progress('done', { feedMessages: 60, correlationMisses: 5, planned: 5, sent: 5, included: 5 });
    await hive.end(runId);

    const { edges, feed } = await reportOf(runId);
    const told = { gaps: 1, duplicates: 2, reorganisations: 3, disconnects: 4, garbage: 5 };
    expect(edges.map((edge) => edge.feed)).toMatchObject([
      { messages: 50, ...told, correlation_misses: 0 },
      { messages: 60, gaps: 0, correlation_misses: 5 },
    ]);
    expect(feed).toEqual({ messages: 110, ...told, correlation_misses: 5 });
  });
});

describe('a run that is ending', () => {
  /** All views of the run from now to its end. */
  async function viewsOf(hive: TestHive, runId: string, cause: () => Promise<unknown>): Promise<RunView[]> {
    const views: RunView[] = [];
    const unlisten = hive.hive.runs.activeOf(runId)?.effects.listen(() => views.push(hive.hive.view(runId)));
    await cause();
    await hive.end(runId);
    unlisten?.();
    return views;
  }

  it.each(['drain', 'abort'] as const)(
    'by %s while Starting has no end time before its final status',
    async (mode) => {
      const hive = await TestHive.start();
      const { run_id: runId } = await hive.begin(SCENARIO);

      const views = await viewsOf(hive, runId, () => hive.call('POST', `/runs/${runId}/stop`, { mode }));

      // A view from before the stop does not belong to the ending.
      const ending = views.filter(({ phase }) => phase !== 'waiting_for_edges');
      const stands = ending.map(({ status, phase, ended_at: at }) => [status, phase, at !== null]);
      expect(new Set(stands.map((stand) => stand.join(' ')))).toEqual(
        new Set(['Starting reporting false', 'Failed  true']),
      );
      await hive.remove();
    },
  );

  it('has no stage', async () => {
    const hive = await TestHive.start();
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
    const { run_id: runId } = await hive.begin(SCENARIO);
    expect((await hive.until(runId, ({ phase }) => phase === 'steady')).stage).toBe('stage 1');

    const views = await viewsOf(hive, runId, async () => {
      await hive.call('POST', `/runs/${runId}/stop`, { mode: 'abort' });
      await edge.has('abort');
      edge.progress('done');
    });

    const ending = views.filter(({ phase }) => phase !== 'steady');
    expect(ending.map(({ stage }) => stage).filter((stage) => stage !== null)).toEqual([]);
    expect(ending.map(({ status }) => status)).toContain('Running');
    await edge.crash();
    await hive.remove();
  });
});
