import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HiveRunRecord, RunView } from '#load/coordination';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { transaction } from './support/test-rows.ts';
import { SCENARIO } from './support/test-scenario.ts';

/** Remains of earlier processes in the data directory. */
describe('a hive that starts', () => {
  let hive: TestHive;

  beforeEach(async () => {
    hive = await TestHive.start({ times: { settleMs: 100 } });
  });
  afterEach(() => hive.remove());

  const directoryOf = (runId: string): string => join(hive.directory, 'runs', runId);

  /** Leaves a Running run with some telemetry, and stops the hive. */
  async function leaveRunning(): Promise<string> {
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
    const { run_id: runId } = await hive.begin(SCENARIO);
    await hive.until(runId, ({ phase }) => phase === 'steady');
    edge.record('transactions', transaction(1));
    await edge.flush();
    await edge.crash();
    await hive.stop();
    return runId;
  }

  async function restart(): Promise<void> {
    hive = await TestHive.start({ directory: hive.directory, times: { settleMs: 100 } });
  }

  async function change(runId: string, changed: Partial<HiveRunRecord>): Promise<void> {
    const path = join(directoryOf(runId), 'run.json');
    const record = JSON.parse(await readFile(path, 'utf8')) as HiveRunRecord;
    await writeFile(path, JSON.stringify({ ...record, ...changed }));
  }

  it('resumes the latest of several unfinished runs, and gives up the others', async () => {
    const runId = await leaveRunning();
    const earlier = 'r-20200101-000000-aaaaaa';
    await cp(directoryOf(runId), directoryOf(earlier), { recursive: true });
    await change(earlier, { run_id: earlier, created_at_us: 1 });

    await restart();

    expect(await hive.run(earlier)).toMatchObject({
      status: 'Failed',
      phase: null,
      reason: 'hive_restarted',
    });
    expect(await hive.end(runId)).toMatchObject({ status: 'Failed', reason: 'hive_restarted' });
    for (const id of [earlier, runId]) {
      expect(await hive.json(200, 'GET', `/runs/${id}/report`)).toMatchObject({
        run_id: id,
        status: 'Failed',
      });
    }
  });

  it('waits the full settling time for the events of a silent edge', async () => {
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
    const { run_id: runId } = await hive.begin(SCENARIO);
    await hive.until(runId, ({ phase }) => phase === 'steady');
    await edge.crash();
    await hive.stop();
    const times = { settleMs: 60_000, edgeLossMs: 50, silenceMs: 60 };
    hive = await TestHive.start({ directory: hive.directory, times });
    await hive.until(runId, ({ edges }) => edges.some(({ is_silent: isSilent }) => isSilent));

    const back = await TestEdge.connect('a', { address: hive.grpcAddress });
    back.plan = edge.plan;
    back.record('transactions', transaction(1));
    await back.flush();
    back.progress('done', { planned: 1, sent: 1, included: 1 });

    expect(await hive.end(runId)).toMatchObject({ status: 'Failed', edges: [{ state: 'done', sent: 1 }] });
    expect(await hive.json(200, 'GET', `/runs/${runId}/report`)).toMatchObject({
      kinds: [{ kind: 'transfer', included: 1 }],
    });
    await back.crash();
  });

  it.each([
    ['journal', 'journal-00001'],
    ['header of its journal', 'journal-00001'],
  ])('fails a run whose %s is damaged, and accepts the next', async (what, name) => {
    const runId = await leaveRunning();
    const path = join(directoryOf(runId), name);
    const bytes = await readFile(path);
    const at = what === 'journal' ? Math.floor(bytes.length / 2) : 3;
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    await writeFile(path, bytes);

    await restart();

    expect(await hive.end(runId)).toMatchObject({ status: 'Failed' });
    expect([200, 500]).toContain((await hive.call('GET', `/runs/${runId}/report`)).status);
    const edge = await TestEdge.connect('b', { address: hive.grpcAddress });
    await hive.call('DELETE', '/edges/a');
    const next = await hive.begin(SCENARIO);
    await hive.until(next.run_id, ({ phase }) => phase === 'steady');
    await edge.crash();
  });

  it.each(['', '{', '[]', 'null', '{"format":1}', '{"format":2,"run_id":"x"}'])(
    'skips a run with the run.json %j, and serves the others',
    async (text) => {
      const { run_id: runId } = await hive.begin(SCENARIO);
      await hive.json(202, 'POST', `/runs/${runId}/stop`, { mode: 'abort' });
      await hive.end(runId);
      const damaged = 'r-20200101-000000-aaaaaa';
      await cp(directoryOf(runId), directoryOf(damaged), { recursive: true });
      await writeFile(join(directoryOf(damaged), 'run.json'), text);
      await hive.stop();

      await restart();

      const { runs } = await hive.json<{ runs: RunView[] }>(200, 'GET', '/runs');
      expect(runs.map(({ run_id: id }) => id)).toEqual([runId]);
      expect((await hive.call('GET', `/runs/${damaged}/report`)).status).toBe(404);
    },
  );
});
