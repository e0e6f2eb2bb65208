/** Every route and method of the hive, asked with a key of every role; an edge with its own key. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, ChannelCredentials, Metadata, status } from '@grpc/grpc-js';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HIVE_METHODS } from '#load/protocol';
import { HIVE_ACCESS } from '#platform/auth';
import { Secret } from '#platform/foundation';
import { type AccessRow, accessTable, keysOfRoles, pageWith, routesOf, secretOf } from '#testing';
import { TestEdge } from './support/test-edge.ts';
import { TestHive } from './support/test-hive.ts';

const PAGE = join(import.meta.dirname, '../../../docs/access.md');
const ROLES = Object.keys(HIVE_ACCESS.roles);

describe('the keys of a hive', () => {
  let directory: string;
  let keys: string;
  let hive: TestHive;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-access-'));
    keys = join(directory, 'keys.yaml');
    await writeFile(keys, keysOfRoles(HIVE_ACCESS));
    hive = await TestHive.start({ environment: { PLEXUS_HIVE_KEYS: keys } });
  });
  afterAll(async () => {
    await hive.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('are asked for by every route, each with a decision', () => {
    const routes = routesOf(hive.app);

    const undecided = routes.filter(({ isPublic, requirement }) => !isPublic && requirement === undefined);
    expect(undecided).toEqual([]);
    expect(routes.length).toBeGreaterThan(15);
  });

  it('open what the table says over HTTP (UPDATE_GOLDEN=1 rewrites it)', async () => {
    const rows: AccessRow[] = [];
    for (const { method, path, requirement } of routesOf(hive.app)) {
      const asked = path.replaceAll(/:\w+/g, 'none');
      const unknown = await hive.call(method, asked);
      const cells: string[] = [];
      for (const role of ROLES) {
        const headers = { Authorization: `Bearer ${secretOf(role)}` };
        const { status: code, text } = await hive.call(method, asked, undefined, headers);
        expect([path, unknown.status]).toEqual([path, requirement === undefined ? 200 : 401]);
        if (code === 403) {
          const message = `${role} lacks the permission ${requirement?.permission ?? ''}`;
          expect(text).toBe(JSON.stringify({ error: 'Forbidden', message }));
        }
        if (requirement === undefined) cells.push('everyone');
        else cells.push(code === 403 ? 'no' : 'yes');
      }
      rows.push({ what: `\`${method} ${path}\``, cells });
    }

    const { page, wanted } = await pageWith(PAGE, 'hive-routes', accessTable(['Route', ...ROLES], rows));
    expect(page).toBe(wanted);
  });

  it('open what the table says over gRPC (UPDATE_GOLDEN=1 rewrites it)', async () => {
    const client = new Client(hive.grpcAddress, ChannelCredentials.createInsecure());
    const call = (
      method: string,
      key: string,
    ): Promise<{ readonly code: status; readonly details: string }> =>
      new Promise((resolve) => {
        const metadata = new Metadata();
        metadata.set('authorization', `Bearer ${key}`);
        const serialize = (bytes: Buffer): Buffer => bytes;
        const stream = client.makeBidiStreamRequest(`/${method}`, serialize, serialize, metadata);
        stream.on('status', resolve).on('error', () => undefined);
        stream.resume();
        stream.end(Buffer.alloc(0));
      });

    const rows: AccessRow[] = [];
    for (const method of [...HIVE_METHODS.keys()].sort()) {
      expect(await call(method, 'none')).toMatchObject({ code: status.UNAUTHENTICATED });
      const cells: string[] = [];
      for (const role of ROLES) {
        const { code, details } = await call(method, secretOf(role));
        if (code === status.PERMISSION_DENIED) expect(details).toBe(`${role} lacks the permission edges`);
        cells.push(code === status.PERMISSION_DENIED ? 'no' : 'yes');
      }
      rows.push({ what: `\`${method.split('/')[1] ?? ''}\``, cells });
    }
    client.close();

    const { page, wanted } = await pageWith(PAGE, 'hive-grpc', accessTable(['Method', ...ROLES], rows));
    expect(page).toBe(wanted);
  });

  it('let an edge with its key in, and no other; a revoked one is cut off', async () => {
    const address = hive.grpcAddress;
    const edge = await TestEdge.connect('edge-1', { address, key: new Secret(secretOf('edge')) });
    const unknown = new TestEdge('edge-2', { address });
    await unknown.has('disconnected');
    const { text } = await hive.call('GET', '/edges', undefined, {
      Authorization: `Bearer ${secretOf('viewer')}`,
    });
    await writeFile(keys, keysOfRoles({ ...HIVE_ACCESS, roles: { viewer: ['read'] } }));

    await edge.has('disconnected');
    await Promise.all([edge.client.close({ isLeaving: false }), unknown.client.close({ isLeaving: false })]);
    await writeFile(keys, keysOfRoles(HIVE_ACCESS));

    expect(text).toContain('"edge-1"');
    expect(text).not.toContain('"edge-2"');
  });
});
