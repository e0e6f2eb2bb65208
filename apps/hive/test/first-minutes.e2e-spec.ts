import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HiveProgram, Program, startEdge } from './support/programs.ts';
import { SCENARIO } from './support/test-scenario.ts';

/** Typical mistakes of first use: occupied ports, programs started twice, a missing hive. */
describe('the programs of load tests', () => {
  let folder: string;
  let taken: Server;
  let port: string;
  const children: Program[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plexus-first-minutes-'));
    taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    port = String((taken.address() as AddressInfo).port);
  });
  afterEach(async () => {
    await Promise.all(children.splice(0).map((child) => child.end('SIGKILL')));
    taken.close();
    await rm(folder, { recursive: true });
  });

  function kept<Kind extends Program>(child: Kind): Kind {
    children.push(child);
    return child;
  }

  it.each([
    [
      'http',
      ['--http-port', 'TAKEN', '--grpc-port', '0'],
      'cannot listen on 127.0.0.1:TAKEN for HTTP: EADDRINUSE',
    ],
    ['grpc', ['--http-port', '0', '--grpc-port', 'TAKEN'], 'cannot listen on 127.0.0.1:TAKEN for edges'],
  ])(
    'a hive whose %s port is in use prints the address, and exits with 1',
    async (_which, flags, message) => {
      const args = flags.map((flag) => flag.replace('TAKEN', port));
      const hive = kept(new Program('hive', ['serve', '--data-dir', join(folder, 'data'), ...args]));

      expect(await hive.ended).toBe(1);
      expect(hive.text).toContain(`plexus-hive: ${message.replace('TAKEN', port)}`);
      expect(hive.text).toContain(`127.0.0.1:${port}`);
      expect(hive.text).not.toMatch(/^ {4}at /m);
    },
  );

  it('a second hive on a data directory prints the process that holds it, and exits with 1', async () => {
    const hive = kept(await HiveProgram.start(join(folder, 'data')));

    const second = kept(new Program('hive', ['serve', '--data-dir', join(folder, 'data')]));

    expect([await second.ended, second.text]).toEqual([
      1,
      `plexus-hive: the data directory is held by process ${hive.child.pid ?? 0}`,
    ]);
  });

  it('an edge whose metrics port is in use prints the address, and exits with 1', async () => {
    const more = `[metrics]\naddress = "127.0.0.1:${port}"\n`;
    const edge = kept(startEdge({ edgeId: 'a', hiveAddress: '127.0.0.1:1', folder, more }));

    expect(await edge.ended).toBe(1);
    expect(edge.lines).toContain(`plexus-edge: cannot listen on 127.0.0.1:${port} for HTTP: EADDRINUSE`);
  });

  it('an edge waits for its hive, logs that once, and deregisters on exit', async () => {
    const before = await HiveProgram.start(join(folder, 'data'));
    await before.end('SIGTERM');
    const edge = kept(startEdge({ edgeId: 'a', hiveAddress: before.grpcAddress, folder }));
    await edge.said(/"event":"hive.disconnected"/);
    const hive = kept(await HiveProgram.start(join(folder, 'data'), ['--grpc-port', before.grpcPort]));
    await edge.said(/"event":"hive.connected"/);

    expect(await edge.end('SIGINT')).toBe(0);

    expect(edge.lines.filter((line) => line.includes('"hive.disconnected"'))).toHaveLength(1);
    expect(await hive.json('/edges')).toEqual({ edges: [] });
    expect(await hive.end('SIGINT')).toBe(0);
  });

  it('an interrupted run --wait does not wait for a stopped hive', async () => {
    const hive = kept(await HiveProgram.start(join(folder, 'data')));
    const scenario = join(folder, 'scenario.json');
    await writeFile(scenario, JSON.stringify(SCENARIO));
    const args = ['run', scenario, '--wait', '--url', hive.url, '--hive-timeout', '1h'];
    const watcher = kept(new Program('hive', args));
    await watcher.said(/waiting for edges/);
    await hive.end('SIGTERM');
    await watcher.said(/the hive does not respond/);

    expect(await watcher.end('SIGINT')).toBe(1);

    expect(watcher.lines.at(-1)).toMatch(
      /^plexus-hive: no response from the hive; run r-\S+ may still be in progress$/,
    );
  });

  it('the later of two edges with one id stays; the earlier exits with 3', async () => {
    const hive = kept(await HiveProgram.start(join(folder, 'data')));
    const options = { edgeId: 'a', hiveAddress: hive.grpcAddress, folder };
    const first = kept(startEdge(options));
    await first.said(/"event":"hive.connected"/);
    const second = kept(startEdge(options));
    await second.said(/"event":"hive.connected"/);

    expect(await first.ended).toBe(3);

    expect(first.lines).toContain(
      'plexus-edge: evicted by the hive: an edge with this id was registered after it',
    );
    expect(hive.lines.filter((line) => line.includes('"edge.registered"'))).toHaveLength(2);
    expect(await hive.json('/edges')).toMatchObject({ edges: [{ edge_id: 'a', status: 'connected' }] });
    expect(await second.end('SIGTERM')).toBe(0);
  });
});
