import { expect } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { createLogger } from '#platform/observability';
import { EmbeddedProxy } from '#proxy/engine';
import { HaproxySource } from '#proxy/haproxy';
import {
  adminConformance,
  type AdminScene,
  type AdminSubject,
  HaproxyServer,
  isHaproxyInstalled,
} from '#proxy/testing';
import { freePort, skipped } from '#testing';
import { TestAdmin } from './support/test-admin.ts';

const LOG = createLogger({ format: 'json', level: 'silent' });
const EXTENSIONS = { extensions: true };

async function openEmbedded({ first, second }: AdminScene): Promise<AdminSubject> {
  const directory = await mkdtemp(join(tmpdir(), 'plexus-proxy-'));
  const file = join(directory, 'proxy.yaml');
  const list = (addresses: readonly string[]): string =>
    addresses.map((text) => `{ address: '${text}' }`).join();
  const check =
    '{ type: http, path: /health, interval: 50ms, timeout: 5s, healthy_threshold: 1, unhealthy_threshold: 1 }';
  const config = `listeners: [{ name: web, address: '127.0.0.1:0' }]
clusters:
  - { name: first, endpoints: [${list(first)}], health_check: ${check} }
  - { name: second, endpoints: [${list(second)}] }
routes: [{ prefix: /second, cluster: second }, { prefix: /, cluster: first }]
drain: { grace: 100ms, timeout: 20s }
`;
  await writeFile(file, config);
  const source = new EmbeddedProxy({
    disk: new NodeDisk(),
    file,
    environment: {},
    lines: undefined,
    watchEveryMs: 0,
  });
  const admin = await TestAdmin.start({ source, admin: EXTENSIONS });
  await source.start();
  const [listener] = (await source.snapshot()).listeners;
  let reloads = 0;
  return {
    url: admin.url,
    port: Number(listener?.address.split(':')[1]),
    reload: async () => {
      await writeFile(file, `${config}# ${++reloads}\n`);
      const { result } = await source.reload();
      expect(result).toBe('applied');
    },
    stop: async () => {
      await source.drain();
      await admin.stop();
      await rm(directory, { recursive: true });
    },
  };
}

async function openHaproxy({ first, second }: AdminScene): Promise<AdminSubject> {
  const port = await freePort();
  const haproxy = await HaproxyServer.start(`
frontend web
  bind 127.0.0.1:${port}
  use_backend second if { path_beg /second }
  default_backend first
backend first
  option httpchk GET /health
  timeout check 10s
  default-server check inter 100ms rise 1 fall 1
${first.map((address, i) => `  server s${i} ${address}`).join('\n')}
backend second
${second.map((address, i) => `  server s${i} ${address}`).join('\n')}
`);
  const { socket, configFile: config } = haproxy;
  const drain = { graceMs: 0, timeoutMs: 20_000 };
  const source = new HaproxySource({ socket, config, drain, disk: new NodeDisk(), log: LOG });
  const admin = await TestAdmin.start({ source, admin: EXTENSIONS });
  await source.start();
  return {
    url: admin.url,
    port,
    reload: () => haproxy.reload(),
    stop: async () => {
      source.close();
      await admin.stop();
      await haproxy.stop();
    },
  };
}

adminConformance('the embedded engine', openEmbedded);

if (isHaproxyInstalled) adminConformance('the engine haproxy', openHaproxy);
else
  skipped(
    'the admin server of the engine haproxy',
    'haproxy is not installed; Debian: apt-get install haproxy',
  );
