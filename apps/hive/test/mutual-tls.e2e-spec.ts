import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunView } from '#load/coordination';
import { NodeDisk } from '#platform/disk';
import { trustAuthority } from '#platform/tls';
import { Authority, isOpensslInstalled } from './support/certificates.ts';
import { HiveProgram, Program, startEdge } from './support/programs.ts';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { SCENARIO } from './support/test-scenario.ts';
import { describeUnless } from '#testing';

const describeWithOpenssl = describeUnless(
  isOpensslInstalled ? undefined : 'openssl is not installed; Debian: apt-get install openssl',
);

describeWithOpenssl('hive and edges with certificates', () => {
  let ours: Authority;
  let foreign: Authority;
  let folder: string;
  let hive: HiveProgram | undefined;
  const children: Program[] = [];

  beforeAll(async () => {
    ours = new Authority('a', 'b');
    await trustAuthority(new NodeDisk(), ours.path('ca.pem'));
    ours.make(-1, 'expired');
    foreign = new Authority('a');
  });
  afterAll(() => {
    for (const authority of [ours, foreign]) authority.remove();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plexus-mutual-tls-'));
  });
  afterEach(async () => {
    await Promise.all(children.splice(0).map((child) => child.end('SIGKILL')));
    await hive?.end('SIGKILL');
    hive = undefined;
    await rm(folder, { recursive: true });
  });

  const flags = (authority: Authority, name: string): string[] => {
    const [ca, cert, key] = ['ca.pem', `${name}.pem`, `${name}.key`].map((file) => authority.path(file));
    return ['--tls-ca', ca ?? '', '--tls-cert', cert ?? '', '--tls-key', key ?? ''];
  };
  const startHive = async (): Promise<HiveProgram> => {
    hive = await HiveProgram.start(join(folder, 'data'), flags(ours, 'hive'));
    return hive;
  };
  function edge(edgeId: string, ca: Authority, own: Authority, name = edgeId): Program {
    const paths = { ca: ca.path('ca.pem'), cert: own.path(`${name}.pem`), key: own.path(`${name}.key`) };
    const lines = Object.entries(paths).map(([key, path]) => `${key} = "${path}"`);
    const child = startEdge({
      edgeId,
      folder,
      hiveAddress: hive?.grpcAddress ?? '127.0.0.1:1',
      more: `[tls]\n${lines.join('\n')}\n`,
    });
    children.push(child);
    return child;
  }
  const edgesOf = async ({ url }: HiveProgram): Promise<unknown> => (await fetch(`${url}/edges`)).json();

  it('connect under the certified names, without warnings', async () => {
    const { url, lines } = await startHive();
    const child = edge('a', ours, ours);
    await child.said(/"event":"hive.connected"/);

    expect(await (await fetch(`${url}/edges`)).json()).toMatchObject({
      edges: [{ edge_id: 'a', status: 'connected' }],
    });
    expect(lines.filter((line) => line.includes('"tls":true'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('"level":40'))).toEqual([]);
    expect(await child.end('SIGTERM')).toBe(0);
  });

  it.each([
    ['the certificate of another edge', () => edge('b', ours, ours, 'a'), /does not name edge b/],
    ['a certificate of another authority', () => edge('a', ours, foreign), /"event":"hive.disconnected"/],
    ['a hive of another authority', () => edge('a', foreign, ours), /"event":"hive.disconnected"/],
  ])('reject %s, which the edge logs and retries', async (_what, start, line) => {
    const serving = await startHive();
    const child = start();

    await child.said(line);

    expect(await edgesOf(serving)).toEqual({ edges: [] });
    expect(await child.end('SIGTERM')).toBe(0);
  });

  it('reject an edge without a certificate', async () => {
    const serving = await startHive();
    const child = startEdge({ edgeId: 'a', folder, hiveAddress: serving.grpcAddress });
    children.push(child);

    await child.said(/"event":"hive.disconnected"/);
    await serving.said(/"event":"edge.tls_refused","peer":"127\.0\.0\.1:\d+","reason":"ERR_SSL_/);

    expect(await edgesOf(serving)).toEqual({ edges: [] });
  });

  it('exit at the start with an expired own certificate, and print its expiry time', async () => {
    const child = edge('expired', ours, ours);
    expect([await child.ended, child.text]).toEqual([
      1,
      expect.stringMatching(/^plexus-edge: own certificate: it expired at /),
    ]);

    const args = ['serve', '--data-dir', join(folder, 'data'), '--http-port', '0', '--grpc-port', '0'];
    const expired = new Program('hive', [...args, ...flags(ours, 'expired')]);
    expect([await expired.ended, expired.text]).toEqual([
      1,
      expect.stringMatching(/^plexus-hive: own certificate: it expired at /m),
    ]);
    expect(expired.text).not.toMatch(/^ {4}at /m);
  });

  it.each([
    ['no such file', ['--tls-ca', '/no/such.pem', '--tls-cert', 'x', '--tls-key', 'x'], '/no/such.pem'],
    ['only one of three', ['--tls-ca', 'ca.pem'], 'all of --tls-ca, --tls-cert and --tls-key'],
  ])('exit with 2 for %s', async (_what, tls, message) => {
    const child = new Program('hive', ['serve', '--data-dir', join(folder, 'data'), ...tls]);

    expect([await child.ended, child.text]).toEqual([2, expect.stringContaining(message)]);
    expect(child.text).not.toMatch(/^ {4}at /m);
  });

  /** Whether the port accepts an HTTP/2 client with this certificate. */
  async function isHeard(authority: Authority, name: string): Promise<boolean> {
    const [cert, key] = await Promise.all(
      [`${name}.pem`, `${name}.key`].map((file) => readFile(authority.path(file))),
    );
    const ca = await readFile(ours.path('ca.pem'));
    const session = connect(`https://${hive?.grpcAddress ?? ''}`, { ca, ...(cert && key && { cert, key }) });
    try {
      return await new Promise<boolean>((resolve) => {
        session.once('remoteSettings', () => resolve(true));
        session.once('error', () => resolve(false));
        session.once('close', () => resolve(false));
      });
    } finally {
      session.destroy();
    }
  }

  it('reject a client with an expired or foreign certificate on the side of the hive', async () => {
    await startHive();

    expect(await isHeard(ours, 'a')).toBe(true);
    expect(await isHeard(ours, 'expired')).toBe(false);
    expect(await isHeard(foreign, 'a')).toBe(false);
  });
});

describeWithOpenssl('a certificate that expires while its edge is connected', () => {
  const NOT_YET = { code: 'rpc_unreachable', reason: 'not yet' } as const;
  let authority: Authority;
  let hive: TestHive;
  const edges: TestEdge[] = [];

  beforeAll(async () => {
    authority = new Authority('a', 'b');
    await trustAuthority(new NodeDisk(), authority.path('ca.pem'));
  });
  afterAll(() => authority.remove());
  beforeEach(async () => {
    hive = await TestHive.start({ tls: authority.material('hive') });
  });
  afterEach(async () => {
    await Promise.all(edges.splice(0).map((edge) => edge.crash()));
    await hive.remove();
  });

  /** Connects with a certificate that is valid for a few seconds, longer on a slow machine. */
  async function connectShortly(edgeId: string): Promise<TestEdge> {
    for (let seconds = 4; ; seconds *= 2) {
      authority.shorten(edgeId, seconds);
      const tls = authority.material(edgeId);
      try {
        const edge = new TestEdge(edgeId, { address: hive.grpcAddress, tls, refusal: () => NOT_YET });
        edges.push(edge);
        await Promise.race([edge.has('connected'), edge.has('disconnected')]);
        if (edge.lines.includes('connected')) return edge;
      } catch (error) {
        expect(error).toMatchObject({ code: 'CERTIFICATE_INVALID' });
      }
    }
  }

  it('excludes the edge from the run: its plan is rejected with certificate_invalid', async () => {
    const [short] = [await connectShortly('a')];
    const address = hive.grpcAddress;
    edges.push(await TestEdge.connect('b', { address, tls: authority.material('b') }));
    const { run_id: runId } = await hive.begin(SCENARIO);

    const refused = ({ refusals, waiting_for: waiting }: RunView): boolean =>
      refusals.some(({ code }) => code === 'certificate_invalid') && !waiting.includes('b');
    const run = await hive.until(runId, refused);

    expect(run).toMatchObject({
      status: 'Starting',
      waiting_for: ['a'],
      refusals: [{ edge_id: 'a', reason: expect.stringContaining('it expired at ') }],
    });
    expect(short.lines).not.toContain('make ready');
    await hive.call('DELETE', '/edges/a');
    await hive.until(runId, ({ phase }) => phase === 'steady');
  });
});
