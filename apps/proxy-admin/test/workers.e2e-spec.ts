import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MetricsPage } from '#proxy/testing';
import { BuiltProxy } from './support/built-proxy.ts';

const REQUESTS = 40;
const CONNECTION_CLOSE = { Connection: 'close' };

describe('plexus-proxy with two workers', () => {
  let upstream: Server;
  let directory: string;
  let file: string;
  let proxy: BuiltProxy;

  beforeAll(async () => {
    upstream = createServer((_, response) => response.end('fine')).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
  });
  afterAll(() => {
    upstream.closeAllConnections();
    upstream.close();
  });
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-proxy-'));
    file = join(directory, 'proxy.yaml');
    await writeFile(file, config());
    proxy = await BuiltProxy.start(file);
  });
  afterEach(async () => {
    if (proxy.child.exitCode === null && proxy.child.signalCode === null) await proxy.end('SIGKILL');
    await rm(directory, { recursive: true });
  });

  const config = (more = ''): string => `admin_address: 127.0.0.1:0
admin: { extensions: true }
workers: 2
listeners: [{ name: web, address: '127.0.0.1:0', access_log: true }]
clusters: [{ name: api, endpoints: [{ address: '127.0.0.1:${(upstream.address() as AddressInfo).port}' }] }]
routes: [{ prefix: /, cluster: api }]
drain: { grace: 1ms, timeout: 10s }
${more}`;
  const text = async (url: string): Promise<[number, string]> => {
    const reply = await fetch(url);
    return [reply.status, await reply.text()];
  };
  const ask = async (): Promise<void> => {
    const url = `http://${proxy.addressOf('web')}/`;
    const asked = Array.from({ length: REQUESTS }, () => fetch(url, { headers: CONNECTION_CLOSE }));
    for (const reply of await Promise.all(asked)) expect(await reply.text()).toBe('fine');
  };
  const stats = async (): Promise<MetricsPage> => new MetricsPage((await text(`${proxy.url}/stats`))[1]);
  /** The current worker processes, according to the system. */
  const pids = async (): Promise<number[]> => {
    const { pid } = proxy.child;
    const children = await readFile(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
    return children.trim().split(/\s+/).map(Number);
  };

  it('serves one admin server for all of them', async () => {
    await ask();

    const page = await stats();
    const [ready, summary] = [await text(`${proxy.url}/ready`), await text(`${proxy.url}/config`)];

    expect(ready).toEqual([200, 'LIVE']);
    expect(summary[1]).toBe('{"listeners":1,"clusters":1,"routes":1}');
    expect(page.value('plexus_downstream_cx_total')).toBe(REQUESTS);
    expect(page.value('plexus_endpoint_responses_total', { code: '2xx' })).toBe(REQUESTS);
    expect(page.value('plexus_endpoint_request_duration_seconds_count')).toBe(REQUESTS);
    expect(page.samples('plexus_worker_serving').map(({ value }) => value)).toEqual([1, 1]);
    expect(await pids()).toHaveLength(2);
  });

  it('drains all of them on SIGTERM, and writes every access log line completely', async () => {
    await ask();
    const workers = await pids();

    const code = await proxy.end('SIGTERM');

    const lines = proxy.log.filter(({ event }) => event === 'http.request');
    expect([code, lines.length, workers.filter(isRunning)]).toEqual([0, REQUESTS, []]);
  });

  it('leaves no worker when it is killed', async () => {
    const workers = await pids();

    const end = await proxy.end('SIGKILL');
    while (workers.some(isRunning)) await new Promise((resolve) => setImmediate(resolve));

    expect([end, workers]).toEqual(['SIGKILL', [expect.any(Number), expect.any(Number)]]);
  });

  it('restarts a killed worker: not ready meanwhile, with an event, and no counter decreases', async () => {
    await ask();
    const [first = 0] = await pids();
    const before = await stats();
    process.kill(first, 'SIGKILL');
    await proxy.logged('proxy.worker_state', (line) => line['isServing'] === false);
    await proxy.logged('proxy.worker_state', ({ isServing, pid }) => isServing === true && pid !== first);
    let ready = await text(`${proxy.url}/ready`);
    while (ready[0] !== 200) ready = await text(`${proxy.url}/ready`);

    await ask();
    const after = await stats();

    expect(before.value('plexus_downstream_cx_total')).toBe(REQUESTS);
    expect(after.value('plexus_downstream_cx_total')).toBe(2 * REQUESTS);
    expect(
      after
        .samples('plexus_worker_exits_total')
        .map(({ value }) => value)
        .sort(),
    ).toEqual([0, 1]);
    expect(await pids()).toHaveLength(2);
  });

  it('reports that a change of their number requires a restart', async () => {
    await writeFile(file, config().replace('workers: 2', 'workers: 3'));
    proxy.child.kill('SIGHUP');

    expect(await proxy.logged('proxy.workers_changed')).toMatchObject({ level: 40 });
    expect(await pids()).toHaveLength(2);
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
