import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HaproxyServer, isHaproxyInstalled, MetricsPage } from '#proxy/testing';
import { describeUnless, freePort } from '#testing';
import { BuiltProxy, runProxy } from './support/built-proxy.ts';

const LONG_DRAIN = 'drain: { grace: 20s, timeout: 30s }';
const SHORT_DRAIN = 'drain: { grace: 1ms, timeout: 10s }';

describe('plexus-proxy', () => {
  let upstream: Server;
  let held: (() => void)[];
  let upstreamPort: number;
  let directory: string;
  let file: string;
  let proxy: BuiltProxy | undefined;

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      if (request.url === '/silent') return;
      if (request.url === '/slow') held.push(() => response.end('slow'));
      else response.end('fine');
    }).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    upstreamPort = (upstream.address() as AddressInfo).port;
  });
  afterAll(() => {
    upstream.closeAllConnections();
    upstream.close();
  });
  beforeEach(async () => {
    held = [];
    directory = await mkdtemp(join(tmpdir(), 'plexus-proxy-'));
    file = join(directory, 'proxy.yaml');
  });
  afterEach(async () => {
    if (proxy?.child.exitCode === null && proxy.child.signalCode === null) await proxy.end('SIGKILL');
    proxy = undefined;
    await rm(directory, { recursive: true });
  });

  const config = (drain = SHORT_DRAIN, more = ''): string => `admin_address: 127.0.0.1:0
admin: { extensions: true }
listeners: [{ name: web, address: '127.0.0.1:0' }]
clusters: [{ name: api, endpoints: [{ address: '127.0.0.1:${upstreamPort}' }] }]
routes: [{ prefix: /, cluster: api }]
${drain}
${more}`;

  const start = async (text = config()): Promise<BuiltProxy> => {
    await writeFile(file, text);
    proxy = await BuiltProxy.start(file);
    return proxy;
  };
  const reloaded = ({ url }: BuiltProxy): Promise<Response> => {
    const headers = { 'content-type': 'application/json' };
    return fetch(`${url}/admin/v1/reload`, { method: 'POST', headers });
  };
  const text = async (url: string): Promise<[number, string]> => {
    const reply = await fetch(url);
    return [reply.status, await reply.text()];
  };

  it('checks a configuration on standard input, with the place of a fault', async () => {
    const config = [
      'listeners: [{ name: web, address: 127.0.0.1:0, protocol: tcp, cluster: api }]',
      'clusters: [{ name: api, endpoints: [{ address: 127.0.0.1:9 }] }]',
    ].join('\n');
    const valid = await runProxy(['check', '-'], config);
    const wrong = await runProxy(['check', '-'], config.replace('clusters', 'clustrs'));

    expect(valid).toEqual({
      code: 0,
      stdout: 'standard input: valid, 1 listener, 1 cluster, 0 routes\n',
      stderr: '',
    });
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toMatch(/standard input:2:1: .*clustrs/);
  });

  it('runs a configuration from a pipe: a reload keeps it, and SIGTERM ends the program', async () => {
    execFileSync('mkfifo', [file]);
    const running = (proxy = BuiltProxy.starting(file));
    await writeFile(file, config());
    await running.logged('proxy.running');

    const carried = await text(`http://${running.addressOf('web')}/`);
    const reload = await reloaded(running);

    expect(carried).toEqual([200, 'fine']);
    expect(await reload.json()).toEqual({ result: 'unchanged', faults: [] });
    expect(await running.end()).toBe(0);
  });

  it('runs a configuration on standard input', async () => {
    const running = (proxy = BuiltProxy.starting('-'));
    running.child.stdin.end(config());
    await running.logged('proxy.running');

    expect(await text(`${running.url}/ready`)).toEqual([200, 'LIVE']);
    expect(await running.end()).toBe(0);
  });

  it('rejects a pipe in the place of its file without reading it, and SIGTERM ends the program', async () => {
    const running = await start();
    await rm(file);
    execFileSync('mkfifo', [file]);

    const reload = await reloaded(running);

    expect([reload.status, await reload.json()]).toEqual([
      422,
      { result: 'rejected', faults: [`${file}: cannot be read: a pipe or a device`] },
    ]);
    expect(await running.end()).toBe(0);
  });

  it('carries traffic and reports it on the admin server', async () => {
    const { url, addressOf } = await start().then((running) => ({
      url: running.url,
      addressOf: running.addressOf.bind(running),
    }));

    const carried = await text(`http://${addressOf('web')}/`);
    const ready = await text(`${url}/ready`);
    const clusters = await text(`${url}/clusters`);
    const summary = await text(`${url}/config`);
    const page = new MetricsPage((await text(`${url}/stats`))[1]);

    expect(carried).toEqual([200, 'fine']);
    expect(ready).toEqual([200, 'LIVE']);
    expect(JSON.parse(clusters[1])).toEqual({
      clusters: [
        {
          name: 'api',
          endpoints: [{ address: `127.0.0.1:${upstreamPort}`, healthy: true, active_requests: 0 }],
        },
      ],
    });
    expect(summary[1]).toBe('{"listeners":1,"clusters":1,"routes":1}');
    expect(page.value('plexus_downstream_cx_total')).toBe(1);
    expect(page.value('plexus_endpoint_responses_total', { code: '2xx' })).toBe(1);
  });

  it('drains on SIGTERM: not ready at once, answers requests in progress, and exits 0', async () => {
    const running = await start(config('drain: { grace: 200ms, timeout: 20s }'));
    const slow = fetch(`http://${running.addressOf('web')}/slow`);
    while (held.length === 0) await once(upstream, 'request');
    running.child.kill('SIGTERM');
    const draining = await running.logged('proxy.draining');

    const ready = await text(`${running.url}/ready`);
    held.forEach((answer) => answer());
    const answered = await (await slow).text();
    const code = await running.ended();

    expect(draining['reason']).toBe('SIGTERM');
    expect(ready).toEqual([503, 'DRAINING']);
    expect(answered).toBe('slow');
    expect(code).toBe(0);
    expect(running.log.find(({ event }) => event === 'proxy.stopped')).toMatchObject({
      cutConnections: 0,
      cutRequests: 0,
    });
  });

  it.each([
    ['SIGTERM', undefined],
    ['of the admin server', '/admin/v1/drain'],
  ])('is never live after a request to stop during the first checks: %s', async (_, path) => {
    const check = 'health_check: { path: /silent, timeout: 1h }';
    await writeFile(file, config().replace(`:${upstreamPort}' }]`, `$&, ${check}`));
    const checked = once(upstream, 'request');
    proxy = BuiltProxy.starting(file);
    await proxy.logged('proxy.server_state', ({ state }) => state === 'INITIALIZING');
    await checked;

    if (path === undefined) proxy.child.kill('SIGTERM');
    else {
      const headers = { 'Content-Type': 'application/json' };
      await fetch(`${proxy.url}${path}`, { method: 'POST', headers });
    }
    const code = await proxy.ended();

    const events = proxy.log.map(({ event, state }) => [event, state].filter(Boolean).join(' '));
    expect(code).toBe(0);
    expect(events.filter((event) => event.startsWith('proxy.'))).toEqual([
      'proxy.server_state INITIALIZING',
      'proxy.draining',
      'proxy.server_state DRAINING',
      'proxy.stopped',
    ]);
  });

  it('drains on SIGINT too, also without an admin server', async () => {
    const running = await start(config().replace(/^admin.*\n/gm, ''));

    const code = await running.end('SIGINT');

    expect(code).toBe(0);
    expect(running.log.map(({ event }) => event)).not.toContain('admin.listening');
  });

  it('ends at once at a second signal', async () => {
    const running = await start(config(LONG_DRAIN));
    running.child.kill('SIGTERM');
    await running.logged('proxy.draining');

    const end = await running.end('SIGTERM');

    expect(end).toBe('SIGTERM');
  });

  it('drains and exits 0 on request of the admin server', async () => {
    const running = await start();

    const reply = await fetch(`${running.url}/admin/v1/drain`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
    });

    expect(reply.status).toBe(202);
    expect(await running.ended()).toBe(0);
  });

  it('reloads on SIGHUP, keeps its configuration when the new one is invalid, and reports settings that require a restart', async () => {
    const running = await start();
    const hup = async (result: string): Promise<void> => {
      running.child.kill('SIGHUP');
      await running.logged('proxy.config_reload', (line) => line['result'] === result);
    };

    await hup('unchanged');
    await writeFile(file, config().replace('prefix: /,', 'prefix: /,, oops'));
    await hup('rejected');
    const kept = await text(`http://${running.addressOf('web')}/`);
    const routes = '[{ prefix: /a, cluster: api }, { prefix: /,';
    const other = config().replace('[{ prefix: /,', routes);
    await writeFile(file, other.replace('extensions: true', 'extensions: true, read_only: true'));
    await hup('applied');
    const page = new MetricsPage((await text(`${running.url}/stats`))[1]);

    expect(kept).toEqual([200, 'fine']);
    expect(page.value('plexus_config_reloads_total', { result: 'applied' })).toBe(1);
    expect(page.value('plexus_config_reloads_total', { result: 'rejected' })).toBeGreaterThanOrEqual(1);
    expect((await text(`${running.url}/config`))[1]).toBe('{"listeners":1,"clusters":1,"routes":2}');
    expect(await running.logged('proxy.admin_changed')).toMatchObject({ level: 40 });
  });

  it('detects a change of the file', async () => {
    const running = await start();
    await writeFile(file, config(SHORT_DRAIN, '# another'));

    const { result } = await running.logged('proxy.config_reload');

    expect(result).toBe('applied');
  });

  it('accepts changes with its token from other machines, warns about it, and never prints the token', async () => {
    const own = 'extensions: true, token_env: MY_TOKEN';
    await writeFile(file, config().replace('extensions: true', own).replace('127.0.0.1:0', '0.0.0.0:0'));
    proxy = await BuiltProxy.start(file, { MY_TOKEN: 'never-to-be-seen', PLEXUS_LOG_LEVEL: 'debug' });
    const url = proxy.url.replace('0.0.0.0', '127.0.0.1');
    const headers = { Authorization: 'Bearer never-to-be-seen', 'Content-Type': 'application/json' };

    const replies = await Promise.all(
      ['/stats', '/config', '/admin/v1/clusters', '/admin/ui', '/nope'].map((path) => text(`${url}${path}`)),
    );
    const reload = await fetch(`${url}/admin/v1/reload`, { method: 'POST', headers });
    const refused = await fetch(`${url}/admin/v1/reload`, {
      method: 'POST',
      headers: { ...headers, Authorization: 'Bearer wrong' },
    });
    await proxy.end();

    expect([reload.status, refused.status]).toEqual([200, 401]);
    expect(await proxy.logged('config.warning')).toMatchObject({ level: 40 });
    expect(JSON.stringify([replies, proxy.log])).not.toContain('never-to-be-seen');
  });

  describeUnless(isHaproxyInstalled ? undefined : 'haproxy is not installed')('with an HAProxy', () => {
    it('leaves HAProxy running when it ends', async () => {
      const port = await freePort();
      const haproxy = await HaproxyServer.start(
        `listen web\n  bind 127.0.0.1:${port}\n  server one 127.0.0.1:${upstreamPort}`,
      );
      const engine = `{ kind: haproxy, socket: ${haproxy.socket}, config: ${haproxy.configFile} }`;
      const running = await start(`admin_address: 127.0.0.1:0\nengine: ${engine}\n`);

      const ready = await text(`${running.url}/ready`);
      const code = await running.end('SIGTERM');
      const carried = await text(`http://127.0.0.1:${port}/`);
      await haproxy.stop();

      expect([ready, code, carried]).toEqual([[200, 'LIVE'], 0, [200, 'fine']]);
    });
  });
});
