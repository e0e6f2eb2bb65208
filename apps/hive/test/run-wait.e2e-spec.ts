import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { followHive, serveHive, type ServingHive } from './support/built-hive.ts';
import { TestEdge } from './support/test-edge.ts';
import { transaction } from './support/test-rows.ts';
import { SCENARIO } from './support/test-scenario.ts';

jest.setTimeout(600_000);

describe('plexus-hive run --wait', () => {
  let directory: string;
  let scenario: string;
  let hive: ServingHive;
  let edge: TestEdge;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-hive-wait-'));
    scenario = join(directory, 'smoke.json');
    await writeFile(scenario, JSON.stringify({ ...SCENARIO, oracle: { nonce: false, balance: false } }));
    hive = await serveHive(join(directory, 'data'));
    edge = await TestEdge.connect('a', { address: hive.grpcAddress });
  });
  afterEach(async () => {
    await edge.crash();
    await hive.end('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  const portOf = (address: string): string => address.split(':').at(-1) ?? '';

  it('waits until the run ends', async () => {
    const command = followHive('run', scenario, '--wait', '--url', hive.url);
    await command.told(/^steady/);
    edge.record('transactions', transaction(0));
    await edge.flush();
    expect(command.child.exitCode).toBeNull();

    edge.progress('done', { planned: 1, sent: 1, included: 1 });

    const { code, stdout } = await command.ended;
    expect(stdout).toMatch(/^test: Completed\nInconclusive: /);
    expect(code).toBe(12);
  });

  it('survives a restart of the hive, and prints the result of the run', async () => {
    const command = followHive('run', scenario, '--wait', '--url', hive.url, '--hive-timeout', '10m');
    await command.told(/^steady/);
    const silence = command.told(/^the hive does not respond: retrying for 600 s$/);
    await hive.end('SIGKILL');
    await silence;
    hive = await serveHive(join(directory, 'data'), portOf(hive.grpcAddress), portOf(hive.url));
    await edge.has('abort');
    edge.progress('done', { planned: 1, sent: 1, included: 1 });

    const { code, stdout } = await command.ended;

    expect(stdout).toMatch(/^test: Failed \(hive_restarted\)\n/);
    expect(code).toBe(1);
  });

  it('exits with 1 and the run id after the hive timeout', async () => {
    const command = followHive('run', scenario, '--wait', '--url', hive.url, '--hive-timeout', '1s');
    await command.told(/^steady/);
    await hive.end('SIGKILL');

    const { code, stderr } = await command.ended;

    expect(stderr).toMatch(
      /plexus-hive: no response from the hive for 1 s; run r-[\w-]+ may still be in progress\n$/,
    );
    expect(code).toBe(1);
  });
});
