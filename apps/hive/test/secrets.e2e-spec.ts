import { afterEach, describe, expect, it } from '@jest/globals';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HiveRunRecord } from '#load/coordination';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { SCENARIO } from './support/test-scenario.ts';

const DAY_US = 86_400_000_000;
const KEY = '9aa3d95b3bc440fa88ea12eaa4456161';
const SECRETS = [KEY, 'passw0rd', 't0ken', 'f33dkey', 'h1dden'];
const TARGET = {
  ...SCENARIO.target,
  rpc_urls: [`http://127.0.0.1:1/v3/${KEY}`, 'http://user:passw0rd@127.0.0.1:1'],
  read_urls: ['http://127.0.0.1:1/?apikey=t0ken'],
  feed_url: 'ws://127.0.0.1:1/?key=f33dkey',
  headers: { Authorization_env: 'TEST_RPC_AUTH', 'X-Tenant': 'load' },
};
const YAML = `
name: secrets
# never show passw0rd
target:
  chain_id: 412346
  rpc_urls: ['${TARGET.rpc_urls.join("', '")}']
  read_urls: ['${TARGET.read_urls.join("', '")}']
  feed_url: '${TARGET.feed_url}'
  headers: { Authorization_env: TEST_RPC_AUTH, X-Tenant: load }
accounts: { count: 10, fund_wei: 0, reclaim: false }
load: { stages: [{ duration: 1h, rate: 100 }] }
`;

async function textsIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')));
}

describe('secrets of a target', () => {
  let hive: TestHive | undefined;
  const environment = { TEST_RPC_AUTH: 'Bearer h1dden' };

  afterEach(() => hive?.remove());

  it('reach the edges, and appear in no file, page, list or report', async () => {
    hive = await TestHive.start({ environment });
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
    const { run_id: runId } = await hive.json<{ run_id: string }>(201, 'POST', '/runs', YAML, {
      'Content-Type': 'application/yaml',
    });
    await hive.until(runId, ({ phase }) => phase === 'steady');
    edge.progress('done', {});
    await hive.end(runId);

    const paths = [`/runs/${runId}`, '/runs', '/edges', '/metrics', `/runs/${runId}/report`];
    const files = ['run.json', 'scenario.yaml'].map((name) => `/runs/${runId}/files/${name}`);
    const { directory } = hive;
    const shown: string[] = [];
    for (const path of [...paths, `/runs/${runId}/report?format=html`, ...files]) {
      shown.push((await hive.call('GET', path)).text);
    }
    const texts = [...shown, ...(await textsIn(directory))];

    for (const secret of SECRETS) expect(texts.filter((text) => text.includes(secret))).toEqual([]);
    expect(edge.plan).toMatchObject({
      rpcUrls: TARGET.rpc_urls,
      readUrls: TARGET.read_urls,
      feedUrl: TARGET.feed_url,
      headers: TARGET.headers,
    });
    expect(texts.join()).toContain('http://127.0.0.1:1/v3/***');
    await edge.crash();
  });

  it('are stored for a restarted hive until the run ends, readable only by the owner of the process', async () => {
    const first = await TestHive.start({ environment });
    const { run_id: runId } = await first.begin({ ...SCENARIO, target: TARGET });
    const kept = join(first.directory, 'runs', runId, '.target-urls.json');
    const { mode } = await stat(kept);
    await first.stop();

    hive = await TestHive.start({ directory: first.directory, environment });
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
    await hive.until(runId, ({ phase }) => phase === 'steady');
    await hive.call('POST', `/runs/${runId}/stop`, { mode: 'abort' });
    edge.progress('failed');
    await hive.end(runId);

    expect(mode & 0o777).toBe(0o600);
    expect(edge.plan).toMatchObject({ rpcUrls: TARGET.rpc_urls });
    await expect(stat(kept)).rejects.toMatchObject({ code: 'ENOENT' });
    await edge.crash();
  });

  it('must be set for a scenario that names them', async () => {
    hive = await TestHive.start();

    const answer = await hive.call('POST', '/runs', { ...SCENARIO, target: TARGET });

    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining('expected the header Authorization in the variable TEST_RPC_AUTH'),
    ]);
  });
});

describe('retention', () => {
  it('keeps the latest runs, and deletes older ones', async () => {
    const hive = await TestHive.start({ environment: { PLEXUS_HIVE_RUNS_MAX: '2' } });
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) {
      const { run_id: runId } = await hive.begin(SCENARIO);
      await hive.call('POST', `/runs/${runId}/stop`, { mode: 'abort' });
      await hive.end(runId);
      ids.push(runId);
    }
    await hive.stop();

    const next = await TestHive.start({
      directory: hive.directory,
      environment: { PLEXUS_HIVE_RUNS_MAX: '2' },
    });
    const { runs } = await next.json<{ runs: { run_id: string }[] }>(200, 'GET', '/runs');

    expect(runs.map(({ run_id: runId }) => runId)).toEqual(ids.slice(2).reverse());
    expect((await readdir(join(hive.directory, 'runs'))).sort()).toEqual(ids.slice(2).sort());
    await next.stop();
    await rm(hive.directory, { recursive: true });
  });

  it('deletes runs that ended before the retention time, with their files', async () => {
    const hive = await TestHive.start();
    const ids: string[] = [];
    for (let i = 0; i < 2; i++) {
      const { run_id: runId } = await hive.begin(SCENARIO);
      await hive.call('POST', `/runs/${runId}/stop`, { mode: 'abort' });
      await hive.end(runId);
      ids.push(runId);
    }
    await hive.stop();
    const [old = '', young = ''] = ids;
    const path = join(hive.directory, 'runs', old, 'run.json');
    const record = JSON.parse(await readFile(path, 'utf8')) as HiveRunRecord;
    await writeFile(
      path,
      JSON.stringify({ ...record, ended_at_us: (record.ended_at_us ?? 0) - 31 * DAY_US }),
    );

    const environment = { PLEXUS_HIVE_RETENTION: '30d' };
    const next = await TestHive.start({ directory: hive.directory, environment });
    const { runs } = await next.json<{ runs: { run_id: string }[] }>(200, 'GET', '/runs');

    expect(runs.map(({ run_id: runId }) => runId)).toEqual([young]);
    expect(await readdir(join(hive.directory, 'runs'))).toEqual([young]);
    expect((await next.call('GET', `/runs/${old}`)).status).toBe(404);
    await next.stop();
    await rm(hive.directory, { recursive: true });
  });
});
