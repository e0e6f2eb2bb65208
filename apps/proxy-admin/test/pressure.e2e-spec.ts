import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, get, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MetricsPage } from '#proxy/testing';
import { freePort } from '#testing';

const MAIN = fileURLToPath(new URL('../../../dist/programs/proxy-admin.js', import.meta.url));
/** Several megabytes of log: more than a pipe holds, and more than the log buffers. */
const REQUESTS = 4_000;
const PATH = `/${'x'.repeat(2_000)}`;
const DESCRIPTORS = 96;
const CLIENTS = 150;

describe('the built proxy under pressure', () => {
  const directory = mkdtempSync(join(tmpdir(), 'plexus-pressure-'));
  const clients: Socket[] = [];
  let upstream: Server;
  let proxy: ChildProcess;
  let [port, adminPort] = [0, 0];

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    const ended = once(proxy, 'exit');
    proxy.kill('SIGKILL');
    await ended;
    upstream.closeAllConnections();
    upstream.close();
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  /** Starts the program with a standard error that nothing reads. */
  async function start(command: string): Promise<void> {
    upstream = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    [port, adminPort] = [await freePort(), await freePort()];
    const endpoint = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const check = { type: 'tcp', interval: '100ms', timeout: '10m', unhealthy_threshold: 1 };
    const config = {
      admin_address: `127.0.0.1:${adminPort}`,
      // Time-outs far above the duration of the test, also on a busy machine.
      listeners: [{ name: 'web', address: `127.0.0.1:${port}`, access_log: true, header_timeout: '10m' }],
      clusters: [
        {
          name: 'api',
          endpoints: [{ address: endpoint }],
          health_check: check,
          outlier_detection: { consecutive_connect_failures: 1 },
        },
      ],
      routes: [{ prefix: '/', cluster: 'api' }],
    };
    const file = join(directory, 'proxy.yaml');
    writeFileSync(file, JSON.stringify(config));
    const args = ['-c', command, process.execPath, MAIN, 'run', file];
    proxy = spawn('sh', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    while ((await statusOf('/ready')) !== 200) await new Promise((resolve) => setImmediate(resolve));
  }

  async function statusOf(path: string): Promise<number> {
    return fetch(`http://127.0.0.1:${adminPort}${path}`).then(
      ({ status }) => status,
      () => 0,
    );
  }

  async function stats(): Promise<MetricsPage> {
    return new MetricsPage(await (await fetch(`http://127.0.0.1:${adminPort}/stats`)).text());
  }

  const ask = (agent: Agent): Promise<number> =>
    new Promise((resolve) => {
      const request = get({ port, host: '127.0.0.1', path: PATH, agent }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      });
      request.once('error', () => resolve(0));
    });

  it('answers every request, and its admin server, while its log is not read', async () => {
    await start('exec "$0" "$@"');
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });

    const statuses = await Promise.all(Array.from({ length: REQUESTS }, () => ask(agent)));
    const page = await stats();
    agent.destroy();

    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(await statusOf('/ready')).toBe(200);
    expect(page.value('plexus_log_lines_dropped_total')).toBeGreaterThan(0);
  });

  it('rejects and counts clients beyond its descriptors, and keeps its endpoints', async () => {
    await start(`ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`);
    let closed = 0;
    for (let client = 0; client < CLIENTS; client++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.once('close', () => (closed += 1));
      socket.resume();
      clients.push(socket);
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    }
    let page = await stats();
    const passedIn = (seen: MetricsPage) => seen.value('plexus_endpoint_checks_total', { result: 'passed' });
    const before = passedIn(page);
    const refusedIn = (seen: MetricsPage) =>
      seen.value('plexus_listener_cx_refused_for_descriptors_total', { listener: 'web' });
    // The system has completed connections that the busy proxy has not accepted yet.
    const isComplete = (seen: MetricsPage): boolean =>
      refusedIn(seen) + seen.value('plexus_downstream_cx_total') === CLIENTS && refusedIn(seen) === closed;
    while (passedIn(page) < before + 2 || !isComplete(page)) page = await stats();

    expect(closed).toBeGreaterThan(CLIENTS - DESCRIPTORS);
    expect(page.value('plexus_endpoint_healthy')).toBe(1);
    expect(page.value('plexus_endpoint_checks_total', { result: 'failed' })).toBe(0);

    for (const client of clients.splice(0)) client.destroy();
    const agent = new Agent();
    while ((await ask(agent)) !== 200) await new Promise((resolve) => setImmediate(resolve));
    agent.destroy();
  });
});
