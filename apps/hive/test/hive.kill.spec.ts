import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HiveRunRecord, RunView } from '#load/coordination';
import type { EdgePhase } from '#load/protocol';
import type { Report } from '#load/report';
import { pause } from '#platform/foundation';
import { serveHive, type ServingHive } from './support/built-hive.ts';
import { parquetRows } from './support/parquet-rows.ts';
import { followRun } from './support/run-events.ts';
import { TestEdge } from './support/test-edge.ts';
import { transaction } from './support/test-rows.ts';
import { SCENARIO } from './support/test-scenario.ts';

const POLL_MS = 10;
const BATCHES = 20;
const ROWS_A_BATCH = 50;

describe('a hive stopped by a signal', () => {
  let directory: string;
  let hive: ServingHive;
  let edge: TestEdge;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-hive-kill-'));
    hive = await serveHive(directory);
    edge = await TestEdge.connect('a', { address: hive.grpcAddress });
  });
  afterEach(async () => {
    await edge.crash();
    await hive.end('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  async function begin(): Promise<string> {
    const reply = await fetch(`${hive.url}/runs`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(SCENARIO),
    });
    return ((await reply.json()) as RunView).run_id;
  }

  const until = (runId: string, isSo: (run: RunView) => boolean): Promise<RunView> =>
    followRun(hive.url, runId, isSo);

  async function storedPhase(runId: string): Promise<unknown> {
    const text = await readFile(join(directory, 'runs', runId, 'run.json'), 'utf8');
    return (JSON.parse(text) as HiveRunRecord).phase;
  }

  async function killAndRestart(): Promise<void> {
    const [, port = '0'] = hive.grpcAddress.split(':');
    await hive.end('SIGKILL');
    hive = await serveHive(directory, port);
  }

  it('stores all acknowledged events, and the events that its edges still hold, exactly once', async () => {
    const runId = await begin();
    await until(runId, ({ phase }) => phase === 'steady');
    const push = async (from: number): Promise<void> => {
      for (let batch = from; batch < from + BATCHES; batch++) {
        for (let row = 0; row < ROWS_A_BATCH; row++) {
          edge.record('transactions', transaction(batch * ROWS_A_BATCH + row));
        }
        await edge.flush();
      }
    };
    await push(0);
    for (let row = 0; row < ROWS_A_BATCH; row++) {
      edge.record('transactions', transaction(BATCHES * ROWS_A_BATCH + row));
    }
    // In flight while the hive is killed.
    const late = edge.flush();
    await killAndRestart();
    await late;
    edge.progress('done', { planned: 1_050, sent: 1_050, included: 1_050 });

    expect(await until(runId, ({ status }) => status === 'Failed')).toMatchObject({
      reason: 'hive_restarted',
    });
    const path = join(directory, 'runs', runId, 'transactions-part-');
    const files = await Promise.all(
      ['00001', '00002', '00003'].map((number) =>
        readFile(`${path}${number}.parquet`).catch(() => undefined),
      ),
    );
    const rows = await Promise.all(
      files.filter((file) => file !== undefined).map((file) => parquetRows(new Uint8Array(file).buffer)),
    );
    const numbers = rows
      .flat()
      .map(({ tx }) => Number(tx))
      .sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: (BATCHES + 1) * ROWS_A_BATCH }, (_, i) => i));
    const report = (await (await fetch(`${hive.url}/runs/${runId}/report`)).json()) as Report;
    expect(report).toMatchObject({
      status: 'Failed',
      reason: 'hive_restarted',
      summary: { included: 1_050 },
    });
  });

  it('with its edges settling: completes the run from disk', async () => {
    const runId = await begin();
    await edge.has('start');
    edge.progress('settling');
    // A new phase is shown before it is on disk.
    while ((await storedPhase(runId)) !== 'settling') await pause(POLL_MS);
    await killAndRestart();
    edge.progress('done');

    expect(await until(runId, ({ status }) => status === 'Completed')).toMatchObject({ reason: null });
    expect((await fetch(`${hive.url}/runs/${runId}/report`)).status).toBe(200);
  });

  it.each<EdgePhase>(['prepared', 'running', 'draining'])(
    'with its edges %s: fails the run, and accepts the next',
    async (phase) => {
      edge.isReadyAtOnce = phase !== 'prepared';
      const runId = await begin();
      await edge.has(phase === 'prepared' ? 'make ready' : 'start');
      if (phase !== 'prepared') edge.progress(phase);
      await killAndRestart();
      await edge.has('abort');
      edge.progress('done');

      expect(await until(runId, ({ status }) => status === 'Failed')).toMatchObject({
        reason: 'hive_restarted',
      });
      expect((await fetch(`${hive.url}/runs/${runId}/report`)).status).toBe(200);
      edge.isReadyAtOnce = true;
      const next = await begin();
      await until(next, (run) => run.phase === 'steady');
    },
  );

  it('keeps a Starting run waiting', async () => {
    await edge.leave();
    const runId = await begin();
    await killAndRestart();

    expect(await (await fetch(`${hive.url}/runs/${runId}`)).json()).toMatchObject({ status: 'Starting' });
    edge = await TestEdge.connect('b', { address: hive.grpcAddress });

    await until(runId, ({ phase }) => phase === 'steady');
  });

  it('exits with 0 on SIGTERM during a run', async () => {
    const runId = await begin();
    await until(runId, ({ phase }) => phase === 'steady');

    expect(await hive.end('SIGTERM')).toBe(0);
  });
});
