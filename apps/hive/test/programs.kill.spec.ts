/**
 * Kills hive and edges with SIGKILL at random moments of real runs, and compares the results with the blocks
 * of a simulated sequencer. `KILL_ROUNDS=50` runs a long series, `KILL_SEED` repeats a series.
 */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Report } from '#load/report';
import { effort } from '#testing';
import { LoadSite } from './support/load-site.ts';
import { pause, seededRandom } from '#platform/foundation';

const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? effort(2, 1));
const SEED = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
const LOAD = { stages: [{ duration: '1s', rate: 100 }], arrival: 'uniform' };
const LONG_LOAD = { ...LOAD, stages: [{ duration: '1h', rate: 100 }] };
const PLANNED = 100;

/**
 * Where edges are lost for good: less than the default, to have short tests. An edge whose hive restarts may
 * pause for longer, so it counts as lost.
 */
const SHORT_LOSS = { PLEXUS_HIVE_EDGE_LOSS_TIMEOUT: '4s' };
/** More than that, and less than the 10 s after which an edge gives up its hive. */
const FROZEN_MS = 5_500;

jest.setTimeout(300_000 + ROUNDS * 60_000);

describe('the programs of a load test', () => {
  let site: LoadSite;
  let random: () => number;

  beforeAll(() => {
    random = seededRandom(SEED);
  });

  const planned = (): number => Math.floor(random() * PLANNED);

  /** Checks the invariants of every ended run, independent of the killed program. */
  async function expectWhole(runId: string): Promise<void> {
    const reply = await fetch(`${site.hive.url}/runs/${runId}/report`);
    expect(reply.status).toBe(200);
    const report = (await reply.json()) as Report;
    const { record, leftovers, partRows, transactions } = await site.remains(runId);
    expect(record).toMatchObject({ status: report.status, phase: null, ended_at_us: expect.any(Number) });
    expect(record.state.status).toBe(record.status);
    expect(report.reason).toBe(record.reason);
    expect(leftovers).toEqual([]);
    expect(new Set(partRows.map(([name]) => name.split('-')[0])).size).toBe(10);
    for (const [name, found, told] of partRows) expect([name, found]).toEqual([name, told]);
    const hashes = transactions.flatMap(({ hash }) => hash ?? []);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(report.summary).toMatchObject({ is_balanced: true });
  }

  /** The transaction hashes in the files of the run, and those of the sequencer. */
  async function hashesOf(
    runId: string,
    value: number,
  ): Promise<{
    readonly included: readonly string[];
    readonly all: Set<string>;
    readonly sequenced: string[];
  }> {
    const { transactions } = await site.remains(runId);
    const included = transactions.filter(({ outcome }) => outcome === 'included');
    return {
      included: included.flatMap(({ hash }) => hash ?? []),
      all: new Set(transactions.flatMap(({ hash }) => hash ?? [])),
      sequenced: [...(await site.sequencer.sequencedOf(value))],
    };
  }

  describe('whose hive is killed', () => {
    beforeAll(async () => {
      site = await LoadSite.start('a', 'b');
    });
    afterAll(() => site.close());

    it(`lose and duplicate no transaction over ${ROUNDS} kills of the hive`, async () => {
      process.stdout.write(`kill test: seed ${SEED}\n`);
      for (let round = 0; round < ROUNDS; round++) {
        const { runId, value } = await site.begin(LOAD);
        const after = planned();
        await site.until(runId, ({ progress }) => progress.planned > after);
        await site.killHive();

        const run = await site.until(runId, ({ ended_at: endedAt }) => endedAt !== null);

        expect(['Completed', 'Failed']).toContain(run.status);
        if (run.status === 'Failed') expect(run.reason).toBe('hive_restarted');
        await expectWhole(runId);
        const { included, all, sequenced } = await hashesOf(runId, value);
        expect(run.edges.map(({ state }) => state)).toEqual(['done', 'done']);
        expect(sequenced.filter((hash) => !all.has(hash))).toEqual([]);
        expect(included.filter((hash) => !sequenced.includes(hash))).toEqual([]);
        expect(all.size).toBeGreaterThan(0);
      }
    });

    it.each([
      ['awaiting_acks', ['Completed', 'Failed']],
      ['funding', ['Completed', 'Failed']],
      ['presigning', ['Failed']],
      ['steady', ['Failed']],
      ['draining', ['Failed']],
      ['settling', ['Completed', 'Failed']],
      ['verifying', ['Completed', 'Failed']],
      ['reporting', ['Completed', 'Failed']],
    ])('end a run whose hive was killed on entering %s', async (phase, statuses) => {
      const from = site.hive.lines.length;
      const { runId } = await site.begin(phase === 'draining' ? LONG_LOAD : LOAD);
      if (phase === 'draining') {
        await site.until(runId, (run) => run.phase === 'steady');
        await site.hive.post(`/runs/${runId}/stop`, { mode: 'drain' });
      }
      // A short phase may be skipped if no edge reports it; then the end of the run matches.
      await site.hive.said(new RegExp(`"event":"run.phase".*"phase":("${phase}"|null)`), from);
      await site.killHive();

      const run = await site.until(runId, ({ ended_at: endedAt }) => endedAt !== null);

      expect(statuses).toContain(run.status);
      if (run.status === 'Failed') expect(run.reason).toBe('hive_restarted');
      await expectWhole(runId);
    });

    it('end both of two runs whose hive was killed, each with its own transactions', async () => {
      const runs = [
        await site.begin(LONG_LOAD, { edges: { ids: ['a'] } }),
        await site.begin(LONG_LOAD, { edges: { ids: ['b'] } }),
      ];
      for (const { runId } of runs) await site.until(runId, ({ progress }) => progress.included > 0);
      await site.killHive();

      const ended = await Promise.all(
        runs.map(({ runId }) => site.until(runId, ({ ended_at: endedAt }) => endedAt !== null)),
      );

      expect(ended.map(({ status, reason }) => [status, reason])).toEqual([
        ['Failed', 'hive_restarted'],
        ['Failed', 'hive_restarted'],
      ]);
      expect(ended.map(({ edges }) => edges.map(({ edge_id: id, state }) => [id, state]))).toEqual([
        [['a', 'done']],
        [['b', 'done']],
      ]);
      for (const { runId, value } of runs) {
        await expectWhole(runId);
        const { all, sequenced } = await hashesOf(runId, value);
        expect(sequenced.filter((hash) => !all.has(hash))).toEqual([]);
        expect(sequenced.length).toBeGreaterThan(0);
      }
    });

    it.each(['funding', 'steady', 'settling', 'verifying', 'reporting'])(
      'exit with 0 on a SIGTERM to the hive on entering %s, and end the run completely',
      async (phase) => {
        const { hive } = site;
        const from = hive.lines.length;
        const { runId } = await site.begin(LOAD);
        await hive.said(new RegExp(`"event":"run.phase".*"phase":("${phase}"|null)`), from);

        expect(await site.restartHive('SIGTERM')).toBe(0);

        expect(hive.lines.filter((line) => /"level":(?:50|60)|^ {4}at |Warning:/.test(line))).toEqual([]);
        const run = await site.until(runId, ({ ended_at: endedAt }) => endedAt !== null);
        expect(['Completed', 'Failed']).toContain(run.status);
        if (run.status === 'Failed') expect(run.reason).toBe('hive_restarted');
        await expectWhole(runId);
      },
    );

    it('keep an unacknowledged run waiting when both hive and edge were killed', async () => {
      await site.killEdge('a');
      const { runId, value } = await site.begin(LOAD);
      await site.killHive();
      expect(await site.hive.json(`/runs/${runId}`)).toMatchObject({
        status: 'Starting',
        waiting_for: expect.arrayContaining(['a', 'b']),
      });
      await site.until(runId, ({ waiting_for: waiting }) => waiting.join() === 'a');

      await site.startEdge('a');

      expect(await site.until(runId, ({ ended_at: endedAt }) => endedAt !== null)).toMatchObject({
        status: 'Completed',
      });
      await expectWhole(runId);
      const { included, sequenced } = await hashesOf(runId, value);
      expect([...included].sort()).toEqual([...sequenced].sort());
    });

    it('complete a normal run after these kills', async () => {
      const { runId, value } = await site.begin(LOAD);

      expect(await site.until(runId, ({ ended_at: endedAt }) => endedAt !== null)).toMatchObject({
        status: 'Completed',
        is_degraded: false,
      });
      await expectWhole(runId);
      const { included, sequenced } = await hashesOf(runId, value);
      expect([...included].sort()).toEqual([...sequenced].sort());
    });
  });

  describe('whose edges are killed, or whose hive is frozen', () => {
    beforeAll(async () => {
      site = await LoadSite.startWith(SHORT_LOSS, ['a', 'b']);
    });
    afterAll(() => site.close());

    /** Waits for the end of a run, and returns its report. */
    async function reportOf(runId: string): Promise<Report> {
      await site.until(runId, ({ ended_at: endedAt }) => endedAt !== null);
      await expectWhole(runId);
      return site.hive.json<Report>(`/runs/${runId}/report`);
    }

    function expectLeftOut({ summary, verdict }: Report, planned: number, reasons: RegExp): void {
      expect(summary).toMatchObject({ planned, measured: { planned } });
      expect(summary.sent).toBeGreaterThan(0);
      expect(summary.sent + summary.not_sent).toBe(planned);
      expect(summary.not_sent_reasons.map(({ reason }) => reason).join()).toMatch(reasons);
      expect(summary.achieved_rate_ratio).toBeLessThan(0.98);
      expect(['failed', 'unknown']).toContain(verdict.state);
    }

    it(`complete degraded runs without duplicates over ${ROUNDS} kills of an edge, then a normal run`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { runId, value } = await site.begin(LOAD);
        const after = planned();
        await site.until(runId, ({ progress }) => progress.planned > after);
        await site.killEdge('a');
        if (random() < 0.5) await site.startEdge('a');

        const run = await site.until(runId, ({ ended_at: endedAt }) => endedAt !== null);

        expect(run).toMatchObject({ status: 'Completed' });
        await expectWhole(runId);
        const { included, sequenced } = await hashesOf(runId, value);
        expect(included.filter((hash) => !sequenced.includes(hash))).toEqual([]);
        const { record, transactions } = await site.remains(runId);
        const [lost, kept] = ['a', 'b'].map((id) => record.edges.find(({ edge_id: own }) => own === id));
        expect(kept).toMatchObject({ end: 'done' });
        expect(run.is_degraded).toBe(lost?.end !== 'done');
        const rowsOf = (id: string): number => transactions.filter(({ edge_id: own }) => own === id).length;
        expect(rowsOf('b')).toBe(kept?.tally.planned);
        if (!site.edges.has('a')) await site.startEdge('a');
      }
      const { runId } = await site.begin(LOAD);
      expect(await site.until(runId, ({ ended_at: endedAt }) => endedAt !== null)).toMatchObject({
        status: 'Completed',
        is_degraded: false,
      });
    });

    it('count the whole schedule as planned when one of two edges is killed', async () => {
      const { runId } = await site.begin({ ...LOAD, stages: [{ duration: '4s', rate: 200 }] });
      await site.until(runId, ({ progress }) => progress.planned > 100);
      await site.killEdge('a');

      const report = await reportOf(runId);

      await site.startEdge('a');
      expectLeftOut(report, 800, /edge_(?:lost|crashed)/);
      expect(report.verdict.reasons.map(({ code }) => code)).toEqual(
        expect.arrayContaining(['threshold_missed', 'edge_lost']),
      );
    });

    it('count the whole schedule as planned when the hive is frozen until its edges give up', async () => {
      const { runId } = await site.begin({ ...LOAD, stages: [{ duration: '40s', rate: 50 }] });
      await site.until(runId, ({ progress }) => progress.planned > 20);
      const from = [...site.edges.values()].map((edge) => [edge, edge.lines.length] as const);
      site.hive.child.kill('SIGSTOP');
      await Promise.all(from.map(([edge, line]) => edge.said(/"event":"run.orphaned"/, line)));
      site.hive.child.kill('SIGCONT');

      const report = await reportOf(runId);

      expectLeftOut(report, 2_000, /^hive_silent/);
      expect(report.edges.map(({ end }) => end)).toEqual(['done', 'done']);
    });

    it('lose no edge when the hive is frozen for less, but longer than the edge loss timeout', async () => {
      const { runId } = await site.begin({ ...LOAD, stages: [{ duration: '8s', rate: 100 }] });
      await site.until(runId, ({ progress }) => progress.planned > 50);
      site.hive.child.kill('SIGSTOP');
      await pause(FROZEN_MS);
      site.hive.child.kill('SIGCONT');

      const report = await reportOf(runId);

      expect(report.edges.map(({ end }) => end)).toEqual(['done', 'done']);
      expect(report.summary).toMatchObject({ planned: 800 });
      expect(report.verdict.reasons.map(({ code }) => code)).not.toContain('edge_lost');
    });
  });
});
