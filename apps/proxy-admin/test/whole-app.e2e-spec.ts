/** The proxy with its admin server over a disk that fails: the configuration in force stays in force. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Disk } from '#platform/disk';
import { AdminServer } from '#proxy/admin';
import { loadProxyConfig, ProxyRunner } from '#proxy/engine';
import { CrashDisk, TestApp } from '#testing';
import { proxyAdminApp } from '../src/proxy-admin-app.module.ts';

const FILE = '/etc/proxy.yaml';
const documentOf = (cluster: string): string => `
admin_address: 127.0.0.1:0
admin: { extensions: true }
listeners: [{ name: http, address: 127.0.0.1:0 }]
clusters: [{ name: ${cluster}, endpoints: [{ address: 127.0.0.1:1 }] }]
routes: [{ prefix: /, cluster: ${cluster} }]
`;

describe('the proxy over a disk with power loss', () => {
  let disk: CrashDisk;
  let app: TestApp;
  let runner: ProxyRunner;

  beforeEach(async () => {
    disk = new CrashDisk(7);
    await disk.makeDirectory('/etc');
    await write('one');
    const { config } = await loadProxyConfig({ disk, file: FILE, environment: {} });
    const server = new AdminServer(
      config.admin,
      config.adminAddress ?? { host: '127.0.0.1', port: 0, text: '' },
    );
    const options = { file: FILE, config, environment: {}, lines: undefined, workers: undefined };
    const logging = { format: 'json', level: 'silent' } as const;
    app = await TestApp.start(proxyAdminApp({ ...options, logging, server }), {
      override: (builder) => builder.overrideProvider(Disk).useValue(disk),
    });
    runner = app.app.get(ProxyRunner);
    await runner.start();
  });
  afterEach(() => app.stop());

  async function write(cluster: string): Promise<void> {
    await disk.remove(FILE);
    await disk.writeNew(FILE, Buffer.from(documentOf(cluster)));
  }

  async function clusters(): Promise<string> {
    return (await fetch(`${app.url}/clusters`)).text();
  }

  it('takes a new configuration from the injected disk', async () => {
    await write('two');

    expect(await runner.reload()).toMatchObject({ result: 'applied' });
    expect(await clusters()).toContain('two');
  });

  it('rejects a reload while the disk is down, and serves on', async () => {
    await write('two');
    disk.crash();

    const reloaded = await runner.reload();

    const ready = await fetch(`${app.url}/ready`);
    expect([reloaded.result, ready.status]).toEqual(['rejected', 200]);
    expect(await clusters()).toContain('one');
  });
});
