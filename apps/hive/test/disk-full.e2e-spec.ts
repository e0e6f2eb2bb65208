import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { transaction } from './support/test-rows.ts';
import { SCENARIO } from './support/test-scenario.ts';
import { describeUnless } from '#testing';

const KIB = 1_024;
const DISK_KIB = 3_072;
const ROWS_A_BATCH = 2_000;

/** A small tmpfs that can really be filled, if this process may mount one. */
class SmallDisk {
  readonly directory = mkdtempSync(join(tmpdir(), 'plexus-small-disk-'));
  readonly isMounted: boolean;

  constructor() {
    const size = `size=${DISK_KIB}k`;
    this.isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', this.directory]).status === 0;
  }

  fill(kib: number): Promise<void> {
    return writeFile(join(this.directory, 'filler'), new Uint8Array(kib * KIB));
  }

  makeRoom(): Promise<void> {
    return rm(join(this.directory, 'filler'), { force: true });
  }

  remove(): void {
    if (this.isMounted) spawnSync('umount', [this.directory]);
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const trial = new SmallDisk();
trial.remove();
const describeOnSmallDisk = describeUnless(trial.isMounted ? undefined : 'mounting a small disk takes root');

describeOnSmallDisk('a hive whose disk is full', () => {
  let disk: SmallDisk;
  let hive: TestHive;
  let edge: TestEdge;

  beforeEach(async () => {
    disk = new SmallDisk();
    hive = await TestHive.start({ directory: disk.directory });
    edge = await TestEdge.connect('a', { address: hive.grpcAddress });
  });
  afterEach(async () => {
    await edge.crash();
    await hive.stop();
    disk.remove();
  });

  /** Sends telemetry until the hive rejects it. */
  async function fillByTelemetry(): Promise<void> {
    for (let tx = 0; !edge.lines.includes('refused NO_DISK_SPACE'); tx += ROWS_A_BATCH) {
      for (let row = 0; row < ROWS_A_BATCH; row++) edge.record('transactions', transaction(tx + row));
      await edge.flush();
    }
  }

  it('fails the run at once, keeps serving, and completes the report once there is space', async () => {
    const { run_id: runId } = await hive.begin(SCENARIO);
    await hive.until(runId, ({ phase }) => phase === 'steady');
    await disk.fill(DISK_KIB - 1_000);

    await fillByTelemetry();
    await edge.has('abort');
    edge.progress('done', { planned: 1, sent: 1, included: 1 });

    expect(await hive.end(runId)).toMatchObject({ status: 'Failed', reason: 'no_disk_space' });
    expect(await hive.json(507, 'GET', `/runs/${runId}/report`)).toMatchObject({ error: 'NO_DISK_SPACE' });
    expect(await hive.json(507, 'GET', `/runs/${runId}/report?format=html`)).toMatchObject({
      error: 'NO_DISK_SPACE',
    });
    expect((await hive.call('GET', '/health')).status).toBe(200);
    expect((await hive.call('GET', '/metrics')).status).toBe(200);

    await disk.makeRoom();

    expect(await hive.json(200, 'GET', `/runs/${runId}/report`)).toMatchObject({
      status: 'Failed',
      reason: 'no_disk_space',
    });
    const next = await hive.begin(SCENARIO);
    await hive.until(next.run_id, ({ phase }) => phase === 'steady');
  });

  it('rejects a new run and the removal of an edge, and accepts both once there is space', async () => {
    await disk.fill(DISK_KIB).catch(() => undefined);

    expect(await hive.json(507, 'POST', '/runs', SCENARIO)).toMatchObject({ error: 'NO_DISK_SPACE' });
    expect(await hive.json(507, 'DELETE', '/edges/a')).toMatchObject({ error: 'NO_DISK_SPACE' });
    expect(await hive.json(200, 'GET', '/edges')).toMatchObject({ edges: [{ status: 'connected' }] });
    expect(await hive.json(200, 'GET', '/runs')).toEqual({ runs: [] });

    await disk.makeRoom();

    const { run_id: runId } = await hive.begin(SCENARIO);
    await hive.until(runId, ({ phase }) => phase === 'steady');
    expect((await hive.call('DELETE', '/edges/a')).status).toBe(204);
  });
});
