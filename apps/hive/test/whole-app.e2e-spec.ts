/**
 * The hive from disk to socket: everything that it keeps is on its disk. Reports are not asked for: DuckDB
 * reads Parquet files, and only from the file system of the machine.
 */
import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import type { RunView } from '#load/coordination';
import { Disk } from '#platform/disk';
import { CrashDisk } from '#testing';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { transaction } from './support/test-rows.ts';
import { SCENARIO } from './support/test-scenario.ts';

const DIRECTORY = '/plexus-hive-on-a-crash-disk';
const SEED = 7;

function onDisk(disk: CrashDisk): Promise<TestHive> {
  return TestHive.start({
    directory: DIRECTORY,
    override: (builder) => builder.overrideProvider(Disk).useValue(disk),
  });
}

/** A run with one transaction, to its end. */
async function ended(hive: TestHive): Promise<string> {
  const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
  const { run_id: runId } = await hive.begin(SCENARIO);
  await hive.until(runId, ({ phase }) => phase === 'steady');
  edge.record('transactions', transaction(1));
  await edge.flush();
  edge.progress('done', { planned: 1, sent: 1, included: 1 });
  await hive.end(runId);
  await edge.leave();
  return runId;
}

async function filesOf(hive: TestHive, runId: string): Promise<readonly (readonly [string, number])[]> {
  const { files } = await hive.json<{ files: { name: string; bytes: number }[] }>(
    200,
    'GET',
    `/runs/${runId}/files`,
  );
  const downloads = files.map(async ({ name }) => {
    const reply = await fetch(`${hive.url}/runs/${runId}/files/${name}`);
    return [name, (await reply.arrayBuffer()).byteLength] as const;
  });
  return Promise.all(downloads);
}

describe('the hive over a disk with power loss', () => {
  it('writes telemetry and files there, and has them after the power has returned', async () => {
    const disk = new CrashDisk(SEED);
    const hive = await onDisk(disk);
    const runId = await ended(hive);
    const run = await hive.run(runId);
    const files = await filesOf(hive, runId);

    disk.crash();
    await hive.stop().catch(() => undefined);
    const again = await onDisk(disk.restart());
    const runAgain: RunView = await again.run(runId);
    const filesAgain = await filesOf(again, runId);
    await again.stop();

    expect(files.map(([name]) => name)).toEqual(
      expect.arrayContaining(['run.json', 'scenario.yaml', 'transactions-part-00001.parquet']),
    );
    expect(files.every(([, bytes]) => bytes > 0)).toBe(true);
    expect([filesAgain, runAgain]).toEqual([files, run]);
    expect(existsSync(DIRECTORY)).toBe(false);
  });

  it('answers a new run with an error while the disk is down, and no run has begun after it', async () => {
    const disk = new CrashDisk(SEED);
    const hive = await onDisk(disk);
    disk.crash();

    const refused = await hive.call('POST', '/runs', SCENARIO);
    await hive.stop().catch(() => undefined);
    const again = await onDisk(disk.restart());
    const { runs } = await again.json<{ runs: unknown[] }>(200, 'GET', '/runs');
    await again.stop();

    expect(refused.status).toBeGreaterThanOrEqual(500);
    expect(runs).toEqual([]);
  });
});
