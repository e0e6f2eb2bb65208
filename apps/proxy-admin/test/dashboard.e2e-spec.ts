import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingOfDashboard } from '#testing';
import { BuiltProxy } from './support/built-proxy.ts';

it('docs/grafana/proxy.json uses only metrics of the proxy', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'plexus-dashboard-'));
  const upstream = createServer((_, response) => response.end('fine')).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const file = join(directory, 'proxy.yaml');
  const { port } = upstream.address() as AddressInfo;
  await writeFile(
    file,
    `admin_address: 127.0.0.1:0
listeners: [{ name: web, address: '127.0.0.1:0' }]
clusters: [{ name: api, endpoints: [{ address: '127.0.0.1:${port}' }] }]
routes: [{ prefix: /, cluster: api }]
`,
  );
  const proxy = await BuiltProxy.start(file);
  try {
    await (await fetch(`http://${proxy.addressOf('web')}/`)).text();
    const page = await (await fetch(`${proxy.url}/stats`)).text();

    expect(missingOfDashboard('proxy', [page])).toEqual([]);
  } finally {
    await proxy.end('SIGKILL');
    upstream.closeAllConnections();
    upstream.close();
    await rm(directory, { recursive: true });
  }
});
