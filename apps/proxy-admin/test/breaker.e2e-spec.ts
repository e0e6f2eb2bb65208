import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { EmbeddedProxy } from '#proxy/engine';
import { HeldUpstream, MetricsPage } from '#proxy/testing';
import { type RawAnswer, rawAnswer, TestAdmin } from './support/test-admin.ts';

describe('requests over a limit of their cluster', () => {
  let upstream: HeldUpstream;
  let directory: string;
  let file: string;
  let source: EmbeddedProxy;
  let admin: TestAdmin<EmbeddedProxy>;
  let clients: Socket[];

  beforeEach(async () => {
    upstream = await HeldUpstream.start();
    directory = await mkdtemp(join(tmpdir(), 'plexus-proxy-'));
    file = join(directory, 'proxy.yaml');
    clients = [];
    await writeFile(file, config('limited', '{ max_requests: 2 }'));
    source = new EmbeddedProxy({
      disk: new NodeDisk(),
      file,
      environment: {},
      lines: undefined,
      watchEveryMs: 0,
    });
    admin = await TestAdmin.start({ source });
    await source.start();
  });
  afterEach(async () => {
    for (const client of clients) client.destroy();
    await source.drain();
    await admin.stop();
    upstream.stop();
    await rm(directory, { recursive: true });
  });

  const config = (
    cluster: string,
    limits: string,
  ): string => `listeners: [{ name: web, address: '127.0.0.1:0' }]
clusters:
  - { name: ${cluster}, endpoints: [{ address: '${upstream.address}' }], circuit_breaker: ${limits} }
routes: [{ prefix: /, cluster: ${cluster} }]
drain: { grace: 1ms, timeout: 5s }
`;
  const send = async (path: string): Promise<Socket> => {
    const [listener] = (await source.snapshot()).listeners;
    const client = connect(Number(listener?.address.split(':')[1]), '127.0.0.1');
    clients.push(client);
    client.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    return client;
  };
  const ask = async (path: string): Promise<RawAnswer> => {
    const [bytes] = (await once(await send(path), 'data')) as [Buffer];
    return rawAnswer(bytes.toString());
  };
  const stats = async (): Promise<MetricsPage> => new MetricsPage((await admin.ask('GET', '/stats')).body);
  const held = async (count: number): Promise<void> => {
    while ((await stats()).value('plexus_endpoint_requests_active') !== count);
  };

  it('are rejected with the limit in a header, and counted once', async () => {
    await Promise.all([send('/hold'), send('/hold')]);
    await held(2);
    const answers = [await ask('/'), await ask('/'), await ask('/')];
    const busy = await stats();
    upstream.release();
    await held(0);
    const after = await ask('/');
    await writeFile(file, config('other', '{}'));
    await source.reload();
    const later = await stats();

    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(answers[0]?.headers['x-plexus-overloaded']).toBe('max_requests cluster=limited limit=2');
    expect(after.status).toBe(200);
    const family = 'plexus_cluster_circuit_breaker_rejected_total';
    expect(busy.value(family, { cluster: 'limited', reason: 'max_requests' })).toBe(3);
    expect(busy.value('plexus_cluster_circuit_breaker_remaining', { limit: 'max_requests' })).toBe(0);
    for (const page of [busy, later]) {
      expect(page.value('plexus_circuit_breaker_rejected')).toBe(3);
      expect(page.sum(family)).toBe(3);
    }
  });

  it('do not count without a healthy or reachable endpoint', async () => {
    await source.setEndpoint({ cluster: 'limited', address: upstream.address, isEnabled: false });
    const disabled = await ask('/');
    await source.setEndpoint({ cluster: 'limited', address: upstream.address, isEnabled: true });
    upstream.stop();
    const gone = await ask('/');
    const page = await stats();

    expect([disabled.status, gone.status]).toEqual([503, 502]);
    expect(disabled.headers['x-plexus-overloaded']).toBeUndefined();
    expect(page.value('plexus_circuit_breaker_rejected')).toBe(0);
    expect(page.value('plexus_cluster_no_healthy_endpoint_total')).toBe(1);
  });
});
