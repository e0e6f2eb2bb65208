import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'ldapts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ConfiguredConnector,
  firstPartyConnectors,
  readConnector,
  type RunRecord,
} from '#graph/connector';
import { isLdapInstalled, LDAP_ADMIN, LDAP_PASSWORD, LdapServer, PostgresServer } from '#graph/testing';
import { NodeDisk } from '#platform/disk';
import { describeUnless } from '#testing';
import { TestService } from './support/test-service.ts';

const TYPES = firstPartyConnectors(new NodeDisk());

function connectorOf(connector: string, config: object, environment = {}): ConfiguredConnector {
  const text = JSON.stringify({ id: 'source', connector, config });
  return readConnector(text, '/source.yaml', { types: TYPES, environment });
}

/** Runs the connector to its end. */
async function sync(service: TestService): Promise<RunRecord> {
  let run = (await service.json(202, 'POST', '/v1/connectors/source/run')) as object as RunRecord;
  while (run.ended_at === null) {
    run = (await service.json(200, 'GET', `/v1/connectors/runs/${run.run_id}`)) as object as RunRecord;
  }
  return run;
}

/** The keys of all entities, and all relationships as `from VERB to`. */
async function contentsOf(service: TestService): Promise<ReadonlySet<string>> {
  const answers = [
    await service.query('FIND * AS a RETURN a._key'),
    await service.query('FIND * AS a THAT RELATES TO >> AS r * AS b RETURN a._key, r._verb, b._key'),
  ];
  const rows = answers.flatMap((answer) => answer['rows'] as readonly object[]);
  return new Set(rows.map((row) => Object.values(row).join(' ')));
}

const difference = (before: ReadonlySet<string>, after: ReadonlySet<string>) => ({
  gone: [...before.difference(after)].sort(),
  come: [...after.difference(before)].sort(),
});

describe('a second sync of a bundle', () => {
  const OBJECTS = [
    { type: 'intrusion-set', id: 'intrusion-set--1', created_by_ref: 'identity--1' },
    { type: 'identity', id: 'identity--1' },
    { type: 'malware', id: 'malware--1', created_by_ref: 'identity--of-another-bundle' },
    { type: 'file', id: 'file--1', extensions: { 'archive-ext': { contains_refs: ['file--2'] } } },
    { type: 'file', id: 'file--2' },
    { type: 'opinion', id: 'opinion--1', object_refs: ['relationship--1'] },
    {
      type: 'relationship',
      id: 'relationship--1',
      relationship_type: 'uses',
      source_ref: 'intrusion-set--1',
      target_ref: 'malware--1',
    },
  ];
  let directory: string;
  let service: TestService;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-second-'));
    await startWith({});
    await write(OBJECTS);
    expect(await sync(service)).toMatchObject({ status: 'complete', external_count: 1 });
  });
  afterEach(async () => {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const startWith = async (config: object) => {
    const file = join(directory, 'bundle.json');
    service = await TestService.start({ connectors: [connectorOf('stix', { file, ...config })] });
  };
  const write = (objects: unknown, more: object = {}) =>
    writeFile(
      join(directory, 'bundle.json'),
      JSON.stringify({ type: 'bundle', id: 'bundle--1', objects, ...more }),
    );

  it.each<[string, readonly string[]]>([
    ['identity--1', ['identity--1', 'intrusion-set--1 CREATED_BY identity--1']],
    ['file--2', ['file--1 HAS_CONTAINS file--2', 'file--2']],
    [
      'malware--1',
      ['intrusion-set--1 USES malware--1', 'malware--1', 'relationship--1 HAS_TARGET malware--1'],
    ],
    [
      'opinion--1',
      [
        'opinion--1',
        'opinion--1 HAS_OBJECT relationship--1',
        'relationship--1',
        'relationship--1 HAS_SOURCE intrusion-set--1',
        'relationship--1 HAS_TARGET malware--1',
      ],
    ],
    [
      'relationship--1',
      [
        'intrusion-set--1 USES malware--1',
        'opinion--1 HAS_OBJECT relationship--1',
        'relationship--1',
        'relationship--1 HAS_SOURCE intrusion-set--1',
        'relationship--1 HAS_TARGET malware--1',
      ],
    ],
  ])('without %s removes it and what named it', async (id, gone) => {
    const before = await contentsOf(service);
    await write(OBJECTS.filter((object) => object.id !== id));

    expect(await sync(service)).toMatchObject({ status: 'complete' });
    expect(difference(before, await contentsOf(service))).toEqual({ gone, come: [] });
  });

  it('with an object that is none deletes nothing, and says so', async () => {
    const before = await contentsOf(service);
    const [first, ...others] = OBJECTS.filter(({ id }) => id !== 'file--2' && id !== 'relationship--1');
    await write([...others, 7, { ...first, name: 'renamed' }]);
    const run = await sync(service);

    expect(run).toMatchObject({ status: 'partial', sync: { entities_deleted: 0, relationships_deleted: 0 } });
    expect(run.warnings).toContainEqual(
      expect.stringContaining('objects[4]: expected a STIX object, got a number'),
    );
    expect(await contentsOf(service)).toEqual(before);
    expect(await service.query("FIND * WITH name = 'renamed' AS a RETURN a._key")).toMatchObject({
      rows: [['intrusion-set--1']],
    });
  });

  it('without anything is rejected, and deletes nothing', async () => {
    const before = await contentsOf(service);
    await write([]);
    const empty = await sync(service);
    await write(undefined);
    const none = await sync(service);

    expect(empty).toMatchObject({ status: 'failed', reason: expect.stringContaining('"allow_empty": true') });
    expect(none).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('got one without objects'),
    });
    expect(await contentsOf(service)).toEqual(before);
  });

  it('without anything deletes everything if the configuration allows it, and only then', async () => {
    await service.stop();
    await startWith({ allow_empty: true });
    await write(OBJECTS);
    await sync(service);
    await write(undefined);
    const none = await sync(service);
    await write([]);
    const empty = await sync(service);

    expect(none).toMatchObject({ status: 'failed' });
    expect(empty).toMatchObject({ status: 'complete', sync: { entities_deleted: 7 } });
    expect((await contentsOf(service)).size).toBe(0);
  });
});

describe('a second sync of a database server', () => {
  const SCHEMA = `
    CREATE TABLE people (name text); CREATE TABLE orders (id int PRIMARY KEY);
    CREATE TABLE lines (order_id int REFERENCES orders);
    CREATE FUNCTION names() RETURNS SETOF people LANGUAGE sql SECURITY DEFINER AS 'select * from people';`;
  const NAMES = ['shop', 'vendor', 'spare'];
  let directory: string;
  let server: PostgresServer;
  let service: TestService;

  beforeAll(async () => {
    server = await PostgresServer.start();
    await server.run('postgres', `CREATE ROLE inventory LOGIN PASSWORD 'inventory-password'`);
  });
  afterAll(() => server.stop());

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-second-'));
    for (const name of NAMES) {
      await server.run('postgres', `DROP DATABASE IF EXISTS ${name}`);
      await server.run('postgres', `CREATE DATABASE ${name}`);
      await server.run(name, SCHEMA);
    }
    await startWith({});
    expect(await sync(service)).toMatchObject({ status: 'complete' });
  });
  afterEach(async () => {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const startWith = async (more: object) => {
    const config = {
      host: '127.0.0.1',
      port: server.port,
      user: 'inventory',
      password_env: 'PG',
      instance: 'pg',
      databases: NAMES,
      ...more,
    };
    const environment = { PG: 'inventory-password' };
    const connectors = [connectorOf('postgres', config, environment)];
    service = await TestService.start({ directory, connectors });
  };

  it('without a table removes its rights, keys and columns', async () => {
    const before = await contentsOf(service);
    await server.run('shop', 'DROP TABLE lines');

    expect(await sync(service)).toMatchObject({ status: 'complete' });
    const { gone, come } = difference(before, await contentsOf(service));
    expect(come).toEqual([]);
    expect(gone).toContain('pg/shop/public.lines REFERENCES pg/shop/public.orders');
    expect(gone.filter((line) => !line.includes('pg/shop/public.lines'))).toEqual([]);
  });

  it('keeps what a database holds that refuses it, and deletes elsewhere', async () => {
    const before = await contentsOf(service);
    await server.run('postgres', 'REVOKE CONNECT ON DATABASE vendor FROM PUBLIC');
    await server.run('shop', 'DROP FUNCTION names()');

    expect(await sync(service)).toMatchObject({
      status: 'partial',
      partial_types: [],
      warnings: [expect.stringContaining('the database vendor is not read: permission denied')],
    });
    const { gone, come } = difference(before, await contentsOf(service));
    expect(come).toEqual([]);
    expect(gone).toContain('pg/shop/public.names()');
    expect(gone.filter((line) => !line.includes('names()'))).toEqual([]);
    expect([...(await contentsOf(service))]).toContain('pg/vendor/public.names()');
  });

  it('removes a dropped database while another one refuses it, and one that is excluded', async () => {
    await server.run('postgres', 'REVOKE CONNECT ON DATABASE vendor FROM PUBLIC');
    await server.run('postgres', 'DROP DATABASE shop');
    const run = await sync(service);
    const kept = await contentsOf(service);
    await service.stop();
    await startWith({ exclude: ['vend*'] });
    const later = await sync(service);

    expect(run).toMatchObject({ status: 'partial' });
    expect([...kept].filter((line) => line.includes('pg/shop'))).toEqual([]);
    expect([...kept]).toContain('pg/vendor/public.people');
    expect(later).toMatchObject({ status: 'complete' });
    expect([...(await contentsOf(service))].filter((line) => line.includes('pg/vendor'))).toEqual([]);
  });

  it('without any database is rejected', async () => {
    const before = await contentsOf(service);
    for (const name of NAMES) await server.run('postgres', `DROP DATABASE ${name}`);

    expect(await sync(service)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('the source had entities of database'),
    });
    expect(await contentsOf(service)).toEqual(before);
  });
});

const describeWithServer = describeUnless(
  isLdapInstalled ? undefined : 'slapd is not installed; Debian: apt-get install slapd',
);

describeWithServer('a second sync of a directory', () => {
  const BASE = 'dc=corp,dc=example';
  const LDIF = [
    `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\no: Corp\ndc: corp\n`,
    ...['ann', 'bob'].map(
      (name) =>
        `dn: uid=${name},${BASE}\nobjectClass: account\nuid: ${name}\nobjectClass: simpleSecurityObject\nuserPassword: x\n`,
    ),
    `dn: cn=all,${BASE}\nobjectClass: groupOfNames\ncn: all\nmember: uid=ann,${BASE}\nmember: uid=bob,${BASE}\n`,
    `dn: cn=ops,${BASE}\nobjectClass: posixGroup\ngidNumber: 1\ncn: ops\nmemberUid: root\nmemberUid: ann\nmemberUid: bob\n`,
  ].join('\n');
  let server: LdapServer;
  let client: Client;
  let service: TestService;

  beforeEach(async () => {
    server = await LdapServer.start(LDIF);
    client = new Client({ url: server.url });
    await client.bind(LDAP_ADMIN, LDAP_PASSWORD);
    const config = { url: server.url, base_dn: BASE, bind_dn: LDAP_ADMIN, password_env: 'LDAP' };
    service = await TestService.start({ connectors: [connectorOf('ldap', config, { LDAP: LDAP_PASSWORD })] });
    expect(await sync(service)).toMatchObject({ status: 'complete', external_count: 1 });
  });
  afterEach(async () => {
    await client.unbind();
    await service.stop();
    await server.stop();
  });

  it('without a user removes it and its memberships, beside a local user', async () => {
    await client.del(`uid=bob,${BASE}`);

    expect(await sync(service)).toMatchObject({ sync: { entities_deleted: 1, relationships_deleted: 2 } });
    expect(service.graph.stats().verb_counts).toEqual({ MEMBER_OF: 2 });
  });

  it('without any user is rejected, as without any group', async () => {
    const before = await contentsOf(service);
    for (const name of ['all', 'ops']) await client.del(`cn=${name},${BASE}`);
    const groups = await sync(service);
    for (const name of ['ann', 'bob']) await client.del(`uid=${name},${BASE}`);
    const users = await sync(service);

    expect(groups).toMatchObject({ status: 'failed', reason: expect.stringContaining('entities of group') });
    expect(users).toMatchObject({ status: 'failed', reason: expect.stringContaining('is empty now') });
    expect(await contentsOf(service)).toEqual(before);
  });
});
