/** The audit trail of the hive: who started, changed, stopped and removed what, and who was refused. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ChannelCredentials, Client, Metadata, status } from '@grpc/grpc-js';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HIVE_METHODS } from '#load/protocol';
import { verifyTrail } from '#platform/audit';
import { HIVE_ACCESS } from '#platform/auth';
import { runProgram } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import type { TlsMaterial } from '#platform/grpc';
import { Secret } from '#platform/foundation';
import { describeUnless, keysOfRoles, secretOf } from '#testing';
import { hiveProgram } from '../src/cli/program.ts';
import { Authority, isOpensslInstalled } from './support/certificates.ts';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';
import { OPEN_SCENARIO } from './support/test-scenario.ts';

const methodOf = (name: string): string =>
  [...HIVE_METHODS.keys()].find((method) => method.endsWith(`/${name}`)) ?? '';
const REGISTER = methodOf('Register');
const same = (bytes: Buffer): Buffer => bytes;
/** As the first message of a control stream: `{ hello: { edge_id: 'b' } }`. */
const HELLO_OF_B = Buffer.of(0x0a, 3, 0x0a, 1, 0x62);

const as = (role: string): Record<string, string> => ({ Authorization: `Bearer ${secretOf(role)}` });

const describeWithOpenssl = describeUnless(
  isOpensslInstalled ? undefined : 'openssl is not installed; Debian: apt-get install openssl',
);

const refusedAt = (who: string, what: string): readonly unknown[] => [
  who,
  what,
  undefined,
  undefined,
  'refused',
];

describe('the audit trail of a hive', () => {
  let directory: string;
  let trail: string;
  let hive: TestHive;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-hive-audit-'));
    trail = join(directory, 'audit.jsonl');
  });
  afterEach(async () => {
    await hive.remove();
    await rm(directory, { recursive: true });
  });

  const start = async (
    environment: Readonly<Record<string, string>> = {},
    tls?: TlsMaterial,
  ): Promise<void> => {
    hive = await TestHive.start({
      environment: { PLEXUS_HIVE_AUDIT: trail, ...environment },
      ...(tls && { tls }),
    });
  };
  const startWithKeys = async (): Promise<void> => {
    const keys = join(directory, 'keys.yaml');
    await writeFile(keys, keysOfRoles(HIVE_ACCESS));
    await start({ PLEXUS_HIVE_KEYS: keys });
  };
  const events = async (): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const lines = (await readFile(trail, 'utf8')).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  };
  /** Who did what with what, and how it went. */
  const told = async (): Promise<readonly unknown[]> =>
    (await events()).map(({ who, what, target, counts, outcome }) => [who, what, target, counts, outcome]);

  it('has each change of a run, and what is refused, with the caller', async () => {
    await startWithKeys();
    const started = await hive.json(201, 'POST', '/runs', OPEN_SCENARIO, as('editor'));
    const { run_id: runId } = started;
    await hive.call('POST', '/runs', OPEN_SCENARIO, as('viewer'));
    await hive.call('POST', '/runs', { name: 'faulty' }, as('editor'));
    await hive.call('POST', '/runs/check', OPEN_SCENARIO, as('editor'));
    await hive.call('DELETE', '/edges/unknown', undefined, as('admin'));
    await hive.json(202, 'POST', `/runs/${String(runId)}/stop`, { mode: 'abort' }, as('admin'));
    await hive.hive.runs.active[0]?.effects.ended;
    const removed = await hive.call('DELETE', `/runs/${String(runId)}`, undefined, as('editor'));

    expect(removed.status).toBe(204);
    expect(await told()).toEqual([
      ['plexus', 'keys file', 'keys at the start', { keys: 5 }, 'done'],
      ['editor', 'POST /runs', runId, undefined, 'done'],
      ['viewer', 'POST /runs', undefined, undefined, 'refused'],
      ['admin', 'POST /runs/:run_id/stop', runId, undefined, 'done'],
      ['editor', 'DELETE /runs/:run_id', runId, undefined, 'done'],
    ]);
  });

  it('has changes of the rate, and edges that are removed', async () => {
    await start();
    const edge = await TestEdge.connect('a', { address: hive.grpcAddress });
    const { run_id: runId } = await hive.begin(OPEN_SCENARIO);
    await hive.until(runId, ({ phase }) => phase === 'steady');
    await hive.json(202, 'POST', `/runs/${runId}/rate`, { rate: 50 });
    await hive.call('DELETE', '/edges/a');
    await edge.crash();

    expect(await told()).toEqual([
      ['anyone', REGISTER, 'a', undefined, 'done'],
      ['anyone', 'POST /runs', runId, undefined, 'done'],
      ['anyone', 'POST /runs/:run_id/rate', runId, { rate: 50 }, 'done'],
      ['anyone', 'DELETE /edges/:edge_id', 'a', undefined, 'done'],
    ]);
  });

  it('has edges that come and go, under the names of their keys', async () => {
    await startWithKeys();
    const edge = await TestEdge.connect('a', {
      address: hive.grpcAddress,
      key: new Secret(secretOf('edge')),
    });
    await edge.leave();

    expect((await told()).slice(1)).toEqual([
      ['edge', REGISTER, 'a', undefined, 'done'],
      ['edge', methodOf('Deregister'), 'a', undefined, 'done'],
    ]);
  });

  it('has edges whose key is refused', async () => {
    await startWithKeys();
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${secretOf('scraper')}`);
    const client = new Client(hive.grpcAddress, ChannelCredentials.createInsecure());
    const code = await new Promise((resolve) => {
      const call = client.makeUnaryRequest(`/${REGISTER}`, same, same, Buffer.alloc(0), metadata, (error) =>
        resolve(error?.code),
      );
      call.on('error', () => undefined);
    });
    client.close();

    expect(code).toBe(status.PERMISSION_DENIED);
    expect((await events())[1]).toMatchObject({
      who: 'scraper',
      from: expect.stringContaining('127.0.0.1'),
      what: expect.stringContaining('/Register'),
      outcome: 'refused',
      status: 403,
    });
  });

  describeWithOpenssl('with certificates', () => {
    let ours: Authority;
    let foreign: Authority;

    beforeAll(() => {
      ours = new Authority('a', 'b');
      foreign = new Authority('a');
    });
    afterAll(() => {
      for (const authority of [ours, foreign]) authority.remove();
    });

    /** What the trail has of an edge with this material, once the hive has answered it. */
    const eventOfEdge = async (edgeId: string, tls: TlsMaterial): Promise<unknown> => {
      const edge = new TestEdge(edgeId, { address: hive.grpcAddress, tls });
      await Promise.race([edge.has('connected'), edge.has('disconnected')]);
      await edge.crash();
      return (await told())[0];
    };

    it('has the registration of an edge', async () => {
      await start({}, ours.material('hive'));

      expect(await eventOfEdge('a', ours.material('a'))).toEqual([
        'anyone',
        REGISTER,
        'a',
        undefined,
        'done',
      ]);
    });

    it('has an edge whose certificate is of another authority, with its address', async () => {
      await start({}, ours.material('hive'));
      const { ca } = ours.material('a');

      expect(await eventOfEdge('a', { ...foreign.material('a'), ca })).toEqual(
        refusedAt('nobody', 'TLS handshake'),
      );
      expect((await events())[0]).toMatchObject({ from: expect.stringContaining('127.0.0.1:'), status: 401 });
    });

    it('has an edge whose certificate names another one', async () => {
      await start({}, ours.material('hive'));

      expect(await eventOfEdge('b', ours.material('a'))).toEqual(refusedAt('anyone', REGISTER));
      expect((await events())[0]).toMatchObject({ from: expect.stringContaining('127.0.0.1:'), status: 403 });
    });

    it('has a stream that is opened for another edge than that of the certificate', async () => {
      await start({}, ours.material('hive'));
      const { ca, cert, key } = ours.material('a');
      const [root, own, chain] = [ca, key, cert].map((pem) => Buffer.from(pem));
      const credentials = ChannelCredentials.createSsl(root, own, chain);
      const client = new Client(hive.grpcAddress, credentials);
      const control = methodOf('Control');
      const call = client.makeBidiStreamRequest(`/${control}`, same, same);
      const ended = new Promise((resolve) => call.on('error', resolve));
      call.write(HELLO_OF_B);
      await ended;
      client.close();

      expect((await told())[0]).toEqual(refusedAt('anyone', control));
    });
  });

  it('is verified by the program', async () => {
    await startWithKeys();
    await hive.call('GET', '/runs');
    await hive.stop();

    const verdict = await verifyTrail(new NodeDisk(), trail, 1);
    const whole = await runProgram(hiveProgram(), ['audit', 'verify', trail]);
    const text = await readFile(trail, 'utf8');
    await writeFile(trail, text.replace('"nobody"', '"alice"'));
    const changed = await runProgram(hiveProgram(), ['audit', 'verify', trail]);

    expect([verdict.events, verdict.faults, whole]).toEqual([2, [], 0]);
    expect(changed).not.toBe(0);
  });
});
