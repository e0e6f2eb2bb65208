import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunView } from '#load/coordination';
import type { Report } from '#load/report';
import { LoadSite } from './support/load-site.ts';

const UNTIL_STOPPED = { stages: [{ duration: '1h', rate: 40 }], arrival: 'uniform' };
const SHORT = { stages: [{ duration: '1s', rate: 40 }], arrival: 'uniform' };

describe('two runs at once, on edges that they name', () => {
  let site: LoadSite;

  beforeAll(async () => {
    site = await LoadSite.start('a', 'b', 'c');
  });
  afterAll(() => site.close());

  const on = (...ids: readonly string[]): object => ({ edges: { ids }, correlation: { timeout: '20s' } });
  const isSending = ({ progress }: RunView): boolean => progress.included > 0;
  const end = (runId: string): Promise<RunView> => site.until(runId, () => false);
  const reportOf = (runId: string): Promise<Report> => site.hive.json<Report>(`/runs/${runId}/report`);

  async function stopped(runId: string): Promise<RunView> {
    await site.hive.post(`/runs/${runId}/stop`, { mode: 'drain' });
    return end(runId);
  }

  async function refusal(scenario: object): Promise<readonly [number, unknown]> {
    const reply = await fetch(`${site.hive.url}/runs`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(site.scenario(UNTIL_STOPPED, scenario)),
    });
    return [reply.status, await reply.json()];
  }

  /** Compares what the run says with the transactions of its own amount on the chain. */
  async function expectWhole({ runId, value }: { runId: string; value: number }): Promise<Report> {
    const report = await reportOf(runId);
    const { transactions } = await site.remains(runId);
    const included = transactions.filter(({ outcome }) => outcome === 'included');
    const sequenced = [...(await site.sequencer.sequencedOf(value))];
    expect(included.map(({ hash }) => hash).sort()).toEqual(sequenced.sort());
    expect(sequenced.length).toBeGreaterThan(0);
    expect(report.summary).toMatchObject({ is_balanced: true, included: sequenced.length });
    for (const check of ['nonce', 'balance', 'gas'] as const)
      expect([check, report.oracle[check]?.verdict]).toEqual([check, 'pass']);
    return report;
  }

  it('both complete, one while the other goes on, with reports of their own', async () => {
    const long = await site.begin(UNTIL_STOPPED, on('a', 'b'));
    await site.until(long.runId, isSending);
    const short = await site.begin(SHORT, on('c'));

    const ended = await end(short.runId);
    const going = await site.hive.json<RunView>(`/runs/${long.runId}`);
    const metrics = await (await fetch(`${site.hive.url}/metrics`)).text();
    const drained = await stopped(long.runId);

    expect([ended.status, going.status, going.phase]).toEqual(['Completed', 'Running', 'steady']);
    expect([drained.status, drained.reason]).toEqual(['Completed', 'drained']);
    expect(metrics).toContain(`plexus_load_sent_total{run_id="${short.runId}"} ${ended.progress.sent}\n`);
    expect(metrics).toContain(`plexus_hive_run_status{status="Running",run_id="${long.runId}"} 1\n`);
    const reports = [await expectWhole(long), await expectWhole(short)];
    expect(reports.map(({ edges }) => edges.map(({ edge_id: id }) => id).sort())).toEqual([
      ['a', 'b'],
      ['c'],
    ]);
    // The accounts of the later run follow those of the run that was going on.
    const records = await Promise.all([long, short].map(({ runId }) => site.remains(runId)));
    expect(records.map(({ record }) => [record.first_account, record.edges[0]?.first_account])).toEqual([
      [0, 0],
      [40, 40],
    ]);
  });

  it('are funded by one funder at the same time, and return what remains', async () => {
    const accounts = { accounts: { count: 40, reclaim: true } };
    const runs = await Promise.all([
      site.begin(SHORT, { ...on('a', 'b'), ...accounts }),
      site.begin(SHORT, { ...on('c'), ...accounts }),
    ]);

    const ended = await Promise.all(runs.map(({ runId }) => end(runId)));

    expect(ended.map(({ status }) => status)).toEqual(['Completed', 'Completed']);
    for (const { findings } of ended) expect(findings.map(({ code }) => code)).not.toContain('not_reclaimed');
    for (const run of runs) await expectWhole(run);
  });

  it('are refused for edges that another run has taken, by name, and for all edges', async () => {
    const { runId } = await site.begin(UNTIL_STOPPED, on('a', 'b'));

    expect(await refusal(on('b', 'c', 'a'))).toEqual([
      409,
      expect.objectContaining({
        error: 'RUN_ACTIVE',
        details: {
          run_id: runId,
          taken: [
            { edge_id: 'b', run_id: runId },
            { edge_id: 'a', run_id: runId },
          ],
        },
      }),
    ]);
    expect(await refusal({})).toEqual([409, expect.objectContaining({ details: { run_id: runId } })]);
    await site.hive.post(`/runs/${runId}/stop`, { mode: 'abort' });
    await end(runId);
    const all = await site.begin(UNTIL_STOPPED);
    expect(await refusal(on('c'))).toEqual([
      409,
      expect.objectContaining({ details: { run_id: all.runId } }),
    ]);
    await site.hive.post(`/runs/${all.runId}/stop`, { mode: 'abort' });
    await end(all.runId);
  });

  it('go on without an edge that leaves the other run', async () => {
    const kept = await site.begin(UNTIL_STOPPED, on('a', 'b'));
    const left = await site.begin(UNTIL_STOPPED, on('c'));
    await site.until(kept.runId, isSending);
    await site.until(left.runId, isSending);

    await fetch(`${site.hive.url}/edges/c`, { method: 'DELETE' });
    const failed = await end(left.runId);
    const { progress } = await site.hive.json<RunView>(`/runs/${kept.runId}`);
    await site.until(kept.runId, (run) => run.progress.included > progress.included);
    const drained = await stopped(kept.runId);

    expect([failed.status, failed.reason]).toEqual(['Failed', 'all_edges_lost']);
    expect(drained).toMatchObject({ status: 'Completed', is_degraded: false });
    await expectWhole(kept);
  });
});
