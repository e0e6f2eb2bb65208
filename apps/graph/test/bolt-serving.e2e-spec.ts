/** The driver of Neo4j, unmodified, against the whole service. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import neo4j, { type Driver } from 'neo4j-driver';
import { BoltPeer, MESSAGE, type Structure } from '#graph/testing';
import { TEMPORAL_AND_SPATIAL } from './support/driver-values.ts';
import { TestService } from './support/test-service.ts';

const { types } = neo4j;

/** One of each kind, and what is hard about it. */
const VALUES = {
  null: null,
  true: true,
  integers: [0n, -16n, -17n, 127n, 128n, -129n, 32_768n, 2n ** 31n, -(2n ** 31n) - 1n],
  largest: 2n ** 63n - 1n,
  smallest: -(2n ** 63n),
  floats: [0.5, -0, NaN, Infinity, -Infinity, Number.MAX_VALUE],
  texts: ['', 'a', 'ä€𝄞'.repeat(100), '\uFEFFx', 'x'.repeat(70_000)],
  map: { a: { b: [[], {}, [1n, 'x']] } },
  ...TEMPORAL_AND_SPATIAL,
  point3d: new types.Point(9_157n, 1, 2, 3),
};

describe('neo4j-driver', () => {
  let service: TestService;
  let driver: Driver;

  beforeEach(async () => {
    service = await TestService.start({ environment: { PLEXUS_BOLT_PORT: '0' } });
    await service.json(200, 'POST', '/v1/ingest/write', {
      entities: [
        { type: 'host', class: 'Host', key: 'web', properties: { name: 'web', cores: 4, load: 0.5 } },
        { type: 'service', class: 'Service', key: 'api', properties: { name: 'api', tags: ['a', 'b'] } },
      ],
      relationships: [
        { from: { type: 'host', key: 'web' }, verb: 'RUNS', to: { type: 'service', key: 'api' } },
      ],
    });
    driver = neo4j.driver(`bolt://${service.boltAddress}`, neo4j.auth.basic('anyone', 'anything'), {
      useBigInt: true,
    });
  });
  afterEach(async () => {
    await driver.close();
    await service.stop();
  });

  it('gets every value back as it was sent', async () => {
    const zoned = new types.DateTime(2024n, 7n, 1n, 12n, 0n, 0n, 5n, undefined, 'Europe/Stockholm');
    const { records } = await driver.executeQuery('RETURN $values AS values, $zoned AS zoned', {
      values: VALUES,
      zoned,
    });

    expect(records[0]?.get('values')).toEqual(VALUES);
    expect(String(records[0]?.get('zoned'))).toBe('2024-07-01T12:00:00.000000005+02:00[Europe/Stockholm]');
  });

  it('reads the plan of EXPLAIN, the profile of PROFILE, and warnings', async () => {
    const explained = await driver.executeQuery('EXPLAIN MATCH (h:hots) RETURN h.name AS name');
    const profiled = await driver.executeQuery('PROFILE MATCH (h:host) RETURN h.name AS name');

    expect(explained.records).toEqual([]);
    expect(explained.summary.plan).toMatchObject({
      operatorType: 'ProduceResults@neo4j',
      identifiers: ['name'],
    });
    expect(explained.summary.gqlStatusObjects).toContainEqual(
      expect.objectContaining({ statusDescription: expect.stringContaining('did you mean Host?') }),
    );
    expect(profiled.records).toHaveLength(1);
    expect(profiled.summary.profile).toMatchObject({ operatorType: 'ProduceResults@neo4j', rows: 1 });
  });

  it('reads nodes, relationships and paths', async () => {
    const { records, summary } = await driver.executeQuery(
      'MATCH p = (h:host)-[r:RUNS]->(s) RETURN h, r, p, s.tags AS tags, $x AS x',
      { x: 7n },
    );

    const [record] = records;
    expect(record?.get('h')).toMatchObject({ labels: ['host', 'Host'], properties: { name: 'web' } });
    expect(record?.get('r')).toMatchObject({ type: 'RUNS' });
    expect(record?.get('p')).toMatchObject({ length: 1 });
    expect(record?.get('tags')).toEqual(['a', 'b']);
    expect(record?.get('x')).toBe(7n);
    expect(summary.server.protocolVersion).toMatchObject({ major: 5, minor: 8 });
  });

  it('streams a hundred thousand rows, and holds no snapshot after them', async () => {
    const session = driver.session({ defaultAccessMode: neo4j.session.READ });
    const statement = 'UNWIND range(1, 100000) AS i MATCH (h:host) RETURN i, h.name AS name';
    let sum = 0n;
    for await (const record of session.run(statement)) sum += record.get('i') as bigint;
    await session.close();

    expect(sum).toBe(5_000_050_000n);
    expect(service.graph.openSnapshots).toBeLessThanOrEqual(1);
  });

  it('reads the rest of a result after another statement of its transaction has changed what it shows', async () => {
    const session = driver.session({ fetchSize: 10 });
    const transaction = await session.beginTransaction();
    const first = transaction.run('UNWIND range(1, 100) AS i MATCH (h:host) RETURN i, h');
    await first.keys();
    await transaction.run("MATCH (h:host) SET h.name = 'other'");
    const { records } = await first;
    await transaction.rollback();
    await session.close();

    expect(records.map((record) => record.get('i') as bigint)).toEqual(
      Array.from({ length: 100 }, (_, index) => BigInt(index + 1)),
    );
    expect(records.at(-1)?.get('h')).toMatchObject({ properties: { name: 'web' } });
  });

  it('writes in a managed transaction, and reads it by its bookmark', async () => {
    const writing = driver.session();
    const counters = await writing.executeWrite(async (transaction) => {
      const { summary } = await transaction.run('UNWIND $names AS name CREATE (:box {name: name})', {
        names: ['a', 'b'],
      });
      return summary.counters.updates();
    });
    const bookmarks = writing.lastBookmarks();
    await writing.close();
    const reading = driver.session({ bookmarks, defaultAccessMode: neo4j.session.READ });
    const names = await reading.executeRead(async (transaction) => {
      const { records } = await transaction.run('MATCH (b:box) RETURN b.name AS name ORDER BY name');
      return records.map((record) => record.get('name') as string);
    });
    await reading.close();

    expect(counters).toMatchObject({ nodesCreated: 2 });
    expect(bookmarks).toEqual([expect.stringMatching(/^[\w-]+\.\d+$/)]);
    expect(names).toEqual(['a', 'b']);
  });

  it('repeats a managed transaction that another one has overtaken', async () => {
    const [one, other] = [driver.session(), driver.session()];
    await one.run('CREATE (:counter {id: 1, n: 0})');
    let attempts = 0;
    await one.executeWrite(async (transaction) => {
      attempts++;
      await transaction.run('MATCH (c:counter) SET c.n = c.n + 1');
      if (attempts === 1) await other.run('MATCH (c:counter) SET c.n = c.n + 10');
    });
    const { records } = await one.run('MATCH (c:counter) RETURN c.n AS n');
    await one.close();
    await other.close();

    expect([attempts, records[0]?.get('n')]).toEqual([2, 11n]);
  });

  it.each([
    ['RETURN', {}, 'Neo.ClientError.Statement.SyntaxError', '42001'],
    ['RETURN 1 / 0 AS x', {}, 'Neo.ClientError.Statement.ArithmeticError', '22000'],
    ['RETURN $missing AS x', {}, 'Neo.ClientError.Statement.ParameterMissing', '42001'],
    [
      'CREATE (:a)',
      { defaultAccessMode: neo4j.session.READ },
      'Neo.ClientError.Statement.AccessMode',
      '42N02',
    ],
    ['RETURN 1', { bookmarks: ['elsewhere.1'] }, 'Neo.ClientError.Transaction.InvalidBookmark', '08N12'],
    ['RETURN 1', { bookmarks: ['nonsense'] }, 'Neo.ClientError.Transaction.InvalidBookmark', '08N12'],
    ['RETURN 1', { database: 'other' }, 'Neo.ClientError.Database.DatabaseNotFound', '50N42'],
    ['USE other RETURN 1', {}, 'Neo.ClientError.Database.DatabaseNotFound', '50N42'],
    [
      'ALTER DATABASE neo4j SET ACCESS READ ONLY',
      { database: 'system' },
      'Neo.ClientError.Statement.UnsupportedAdministrationCommand',
      '50N42',
    ],
    [
      'MATCH (n) RETURN n',
      { database: 'system' },
      'Neo.ClientError.Statement.UnsupportedAdministrationCommand',
      '50N42',
    ],
    [
      'CREATE (:A)',
      { database: 'system' },
      'Neo.ClientError.Statement.UnsupportedAdministrationCommand',
      '50N42',
    ],
    [
      'CALL db.labels()',
      { database: 'system' },
      'Neo.ClientError.Statement.UnsupportedAdministrationCommand',
      '50N42',
    ],
    [
      'SHOW INDEXES',
      { database: 'system' },
      'Neo.ClientError.Statement.UnsupportedAdministrationCommand',
      '50N42',
    ],
  ])('gets the error of %s', async (text, options, code, gqlStatus) => {
    const session = driver.session(options);
    const failure: unknown = await session.run(text).then(
      () => undefined,
      (error: unknown) => error,
    );
    await session.close();

    expect(failure).toMatchObject({ code, gqlStatus });
  });

  it('asks the database system for databases and the server', async () => {
    const databases = await driver.executeQuery('SHOW DATABASES YIELD name', {}, { database: 'system' });
    const components = await driver.executeQuery('CALL dbms.components()', {}, { database: 'SYSTEM' });

    expect(databases.records.map((record) => record.get('name') as unknown)).toEqual(['neo4j', 'system']);
    expect(databases.summary.database.name).toBe('system');
    expect(components.records).toHaveLength(1);
  });

  it('ends a transaction that takes longer than its time', async () => {
    const session = driver.session();
    const transaction = await session.beginTransaction({ timeout: 1 });
    const failure: unknown = await (async () => {
      for (;;) await transaction.run('RETURN 1');
    })().catch((error: unknown) => error);
    await session.close();

    expect(failure).toMatchObject({
      code: 'Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration',
    });
  });

  it('serves a hundred sessions at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const session = driver.session();
        const { records } = await session.run('UNWIND range(1, 1000) AS i RETURN sum(i) + $index AS x', {
          index: BigInt(index),
        });
        await session.close();
        return records[0]?.get('x') as bigint;
      }),
    );

    expect(answers).toEqual(Array.from({ length: 100 }, (_, index) => 500_500n + BigInt(index)));
  });

  it('finds the server by a routing table', async () => {
    const routed = neo4j.driver(`neo4j://${service.boltAddress}`);
    const { records, summary } = await routed.executeQuery('RETURN 1 AS one', {}, { routing: 'READ' });
    await routed.close();

    expect(records).toHaveLength(1);
    expect(summary.server.address).toBe(service.boltAddress);
  });

  it.each([[4, 4], ...Array.from({ length: 9 }, (_, minor) => [5, minor] as const)])(
    'is answered in the version %d.%d',
    async (major, minor) => {
      const peer = await BoltPeer.of(service.boltAddress, major, minor);
      peer.send(MESSAGE.hello, { user_agent: 'peer/1', scheme: 'none', patch_bolt: ['utc'] });
      const replies = [await peer.reply()];
      if (major === 5 && minor > 0) peer.send(MESSAGE.logon, { scheme: 'none' });
      if (major === 5 && minor > 0) replies.push(await peer.reply());
      peer.send(MESSAGE.run, "MATCH (h:host) RETURN h, datetime('2024-01-01T00:00+01:00') AS t", {}, {});
      peer.send(MESSAGE.pull, { n: -1n });
      peer.send(MESSAGE.run, 'RETURN', {}, {});
      replies.push(await peer.reply());
      const [record, end] = await peer.replies();
      const failure = await peer.reply();
      peer.destroy();

      const [host, time] = Object.values(record?.content ?? {}) as readonly Structure[];
      expect(replies.map(({ kind }) => kind)).not.toContain('failure');
      expect(host?.fields).toHaveLength(major === 4 ? 3 : 4);
      expect(time).toMatchObject({ signature: 0x49, fields: [1_704_063_600n, 0n, 3_600n] });
      expect(end?.content).toMatchObject({ type: 'r', db: 'neo4j' });
      expect(Object.keys(failure.content)).toContain(major === 5 && minor >= 7 ? 'neo4j_code' : 'code');
    },
  );
});

describe('neo4j-driver, with a key', () => {
  const KEY = 's3cret-key';
  let service: TestService;

  beforeEach(async () => {
    service = await TestService.start({ environment: { PLEXUS_BOLT_PORT: '0', PLEXUS_API_KEY: KEY } });
  });
  afterEach(() => service.stop());

  it.each([
    ['as the password of any user', neo4j.auth.basic('anyone', KEY), true],
    ['as a bearer token', neo4j.auth.bearer(KEY), true],
    ['with more in front of it', neo4j.auth.basic('neo4j', ` ${KEY}`), false],
    ['as another one', neo4j.auth.basic('neo4j', 'other'), false],
    ['not at all', undefined, false],
    ['by an unknown scheme', neo4j.auth.custom('neo4j', KEY, 'realm', 'other'), false],
  ])('that it shows %s', async (_, auth, isAdmitted) => {
    const driver = neo4j.driver(`bolt://${service.boltAddress}`, auth);
    const outcome = await driver.executeQuery('RETURN 1').then(
      () => 'admitted',
      (error: unknown) => (error instanceof neo4j.Neo4jError ? error.code : String(error)),
    );
    await driver.close();

    expect(outcome).toBe(isAdmitted ? 'admitted' : 'Neo.ClientError.Security.Unauthorized');
  });
});

describe('neo4j-driver, where statements have little memory', () => {
  it('reads a sorted result whose rows are made anew for each portion', async () => {
    const service = await TestService.start({
      environment: { PLEXUS_BOLT_PORT: '0', PLEXUS_QUERY_MEMORY: '200KiB' },
    });
    const driver = neo4j.driver(`bolt://${service.boltAddress}`);
    const session = driver.session({ fetchSize: 100 });
    const { records } = await session.run('UNWIND range(1, 1000) AS i RETURN i ORDER BY i DESC');
    await driver.close();
    await service.stop();

    expect(records.map((record) => Number(record.get('i')))).toEqual(
      Array.from({ length: 1_000 }, (_, index) => 1_000 - index),
    );
  });
});
