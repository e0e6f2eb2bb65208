/** What clients of Bolt write, and what they are told of it. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import neo4j, { type Config, type Driver, type Node, type Path, type Relationship } from 'neo4j-driver';
import { BoltPeer, MESSAGE } from '#graph/testing';
import { TestService } from './support/test-service.ts';

const { types } = neo4j;
const ALL = { n: -1n };
const ENDLESS = 'UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN a + b AS c';
/** One of each kind that a property can hold. */
const STORED = {
  yes: true,
  integers: [0n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)],
  floats: [0.5, -0, 4, NaN, Infinity, -Infinity],
  texts: ['', 'ä€𝄞', 'x'.repeat(10_000)],
  none: [],
  date: new types.Date(-1n, 2n, 28n),
  localTime: new types.LocalTime(23n, 59n, 59n, 999_999_999n),
  time: new types.Time(1n, 2n, 3n, 4n, -3_600n),
  localDateTime: new types.LocalDateTime(1969n, 12n, 31n, 23n, 59n, 59n, 1n),
  dateTime: new types.DateTime(2024n, 2n, 29n, 12n, 0n, 0n, 5n, 5_400n),
  duration: new types.Duration(14n, -3n, 7n, 500_000_000n),
  point: new types.Point(4_326n, 11.9, 57.7),
};

type Filter = Config['notificationFilter'];

function someFilter(notificationFilter: Filter): Pick<Config, 'notificationFilter'> {
  return notificationFilter === undefined ? {} : { notificationFilter };
}

describe('writing over Bolt', () => {
  let directory: string;
  let service: TestService;
  let driver: Driver;

  const start = async (): Promise<void> => {
    service = await TestService.start({ directory, environment: { PLEXUS_BOLT_PORT: '0' } });
    driver = driverWith(undefined);
  };
  const stop = async (): Promise<void> => {
    await driver.close();
    await service.stop();
  };
  const driverWith = (notificationFilter: Filter): Driver =>
    neo4j.driver(`bolt://${service.boltAddress}`, undefined, {
      useBigInt: true,
      ...someFilter(notificationFilter),
    });
  const count = async (label: string): Promise<bigint> => {
    const { records } = await driver.executeQuery(`MATCH (n:${label}) RETURN count(*) AS count`);
    return records[0]?.get('count') as bigint;
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-bolt-writing-'));
    await start();
  });
  afterEach(async () => {
    await stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('keeps every kind of value that a property can hold', async () => {
    await driver.executeQuery('CREATE (n:Kept {id: 1})-[r:HAS]->() SET n += $values, r = $values', {
      values: STORED,
    });
    const { records } = await driver.executeQuery('MATCH (n:Kept)-[r:HAS]->() RETURN n, r');
    const { id, ...ofNode } = (records[0]?.get('n') as Node).properties;

    expect(id).toBe(1n);
    expect(ofNode).toEqual(STORED);
    expect((records[0]?.get('r') as Relationship).properties).toEqual(STORED);
  });

  it('takes what a hundred sessions write at once', async () => {
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const session = driver.session();
        await session.executeWrite((transaction) =>
          transaction.run('MERGE (a:Many {id: $id}) MERGE (b:Shared {id: $half}) MERGE (a)-[:OF]->(b)', {
            id: BigInt(index),
            half: BigInt(index >> 1),
          }),
        );
        await session.close();
      }),
    );

    expect([await count('Many'), await count('Shared')]).toEqual([100n, 50n]);
  });

  it('has one number for a node, whoever asks and after every restart', async () => {
    await driver.executeQuery("CREATE (:M {id: 'a'})-[:T]->(:M {id: 'b'})");
    const numbers = async (): Promise<unknown> => {
      const { records } = await driver.executeQuery(
        `MATCH p = (a:M {id: 'a'})-[r:T]->(b)
         RETURN a, r, b, p, [id(a), id(r), id(b)] AS ids, [x IN [a, b] | elementId(x)] AS elementIds`,
      );
      const { a, r, b, p, ids, elementIds } = records[0]?.toObject() as {
        readonly a: Node<bigint>;
        readonly b: Node<bigint>;
        readonly r: Relationship<bigint>;
        readonly p: Path<bigint>;
        readonly ids: readonly bigint[];
        readonly elementIds: readonly string[];
      };
      expect(ids).toEqual([a.identity, r.identity, b.identity]);
      expect([r.start, r.end]).toEqual([a.identity, b.identity]);
      expect([p.start.identity, p.segments[0]?.relationship.identity, p.end.identity]).toEqual(ids);
      expect(elementIds).toEqual([a.elementId, b.elementId]);
      expect(ids.every((id) => id >= 0n && id < 2n ** 53n)).toBe(true);
      return ids;
    };
    const before = await numbers();
    // Rows are numbered by type and key: these come before the others.
    await driver.executeQuery('UNWIND range(1, 100) AS i CREATE (:A {id: i})-[:T]->(:A)');
    const between = await numbers();
    for (let restarts = 0; restarts < 2; restarts++) {
      await stop();
      await start();
    }

    expect([between, await numbers()]).toEqual([before, before]);
  });

  it('keeps nothing of a client that vanishes within a transaction, and nobody waits for it', async () => {
    const peer = await BoltPeer.admitted(service.boltAddress);
    peer.send(MESSAGE.begin, {});
    peer.send(MESSAGE.run, "MERGE (n:Once {id: 'x'}) SET n.by = 'peer'", {}, {});
    await peer.reply();
    await peer.reply();
    const { summary } = await driver.executeQuery("MERGE (n:Once {id: 'x'}) SET n.by = 'driver'");
    peer.destroy();
    await peer.closed;
    await service.metricIs('plexus_bolt_connections_open', 1);
    const { records } = await driver.executeQuery('MATCH (n:Once) RETURN n.by AS by');

    expect(summary.counters.updates()).toMatchObject({ nodesCreated: 1 });
    expect(records.map((record) => record.get('by') as string)).toEqual(['driver']);
  });

  it('has written all of a statement whose rows are discarded, and counts it', async () => {
    const peer = await BoltPeer.admitted(service.boltAddress);
    const run = async (text: string): Promise<unknown> => {
      peer.send(MESSAGE.run, text, {}, {});
      peer.send(MESSAGE.discard, ALL);
      await peer.reply();
      return (await peer.reply()).content;
    };
    const written = await run('UNWIND range(1, 1000) AS x CREATE (n:Row {x: x}) RETURN n');
    const read = await run(ENDLESS);
    peer.destroy();

    expect(written).toMatchObject({
      type: 'rw',
      stats: { 'nodes-created': 1_000n, 'properties-set': 1_000n, 'labels-added': 1_000n },
      bookmark: expect.stringMatching(/\.\d+$/),
    });
    expect(read).toMatchObject({ type: 'r' });
    expect(await count('Row')).toBe(1_000n);
    await service.metricIs('plexus_queries_running', 0);
  });

  describe('hints', () => {
    const UNKNOWN = 'MATCH (n:Nowhere) RETURN n';
    const INDEX = 'CREATE INDEX FOR (n:Ip) ON (n.id)';
    const codesOf = async (wishes: Filter, text: string, ofSession?: Filter): Promise<readonly string[]> => {
      const own = driverWith(wishes);
      const session = own.session(someFilter(ofSession));
      const { summary } = await session.run(text);
      await own.close();
      return summary.notifications.map(({ code, severityLevel, category }) =>
        [code.split('.').at(-1), severityLevel, category].join(' '),
      );
    };

    it('come with their severity and category', async () => {
      await driver.executeQuery('CREATE (:Known)');

      expect(await codesOf(undefined, UNKNOWN)).toEqual(['UnknownLabelWarning WARNING UNRECOGNIZED']);
      expect(await codesOf(undefined, INDEX)).toEqual(['IndexNotNeeded INFORMATION SCHEMA']);
    });

    it('come as a driver or a session wishes', async () => {
      await driver.executeQuery('CREATE (:Known)');
      const off = { minimumSeverityLevel: 'OFF' } as const;
      const warnings = { minimumSeverityLevel: 'WARNING' } as const;
      const noUnknown: Filter = { disabledCategories: ['UNRECOGNIZED', 'HINT'] };
      const again = 'CREATE INDEX again IF NOT EXISTS FOR (n:Ip) ON (n.id)';

      expect(await codesOf(off, UNKNOWN)).toEqual([]);
      expect(await codesOf(warnings, UNKNOWN)).toHaveLength(1);
      expect(await codesOf(warnings, INDEX)).toEqual([]);
      expect(await codesOf(noUnknown, UNKNOWN)).toEqual([]);
      expect(await codesOf(noUnknown, again)).toHaveLength(1);
      expect(await codesOf(off, UNKNOWN, warnings)).toHaveLength(1);
      expect(await codesOf(warnings, UNKNOWN, noUnknown)).toEqual([]);
    });

    it.each([
      [5, 2, { notifications_minimum_severity: 'OFF' }, 0],
      [5, 4, { notifications_disabled_categories: ['unrecognized'] }, 0],
      [5, 4, { notifications_disabled_categories: [] }, 1],
      [5, 4, { notifications_minimum_severity: null, notifications_disabled_categories: null }, 1],
    ])('come in the version %d.%d as HELLO with %j wishes', async (major, minor, wishes, expected) => {
      await driver.executeQuery('CREATE (:Known)');
      const peer = await BoltPeer.of(service.boltAddress, major, minor);
      peer.send(MESSAGE.hello, { user_agent: 'peer/1', ...wishes });
      peer.send(MESSAGE.logon, { scheme: 'none' });
      peer.send(MESSAGE.run, UNKNOWN, {}, {});
      peer.send(MESSAGE.pull, ALL);
      for (let replies = 0; replies < 3; replies++) await peer.reply();
      const { content } = await peer.reply();
      peer.destroy();

      expect(content['notifications'] ?? []).toHaveLength(expected);
    });

    it('are refused with a severity that is none', async () => {
      const peer = await BoltPeer.admitted(service.boltAddress);
      peer.send(MESSAGE.run, 'RETURN 1', {}, { notifications_minimum_severity: 'LOUD' });
      const { kind, content } = await peer.reply();
      peer.destroy();

      expect(kind).toBe('failure');
      expect(JSON.stringify(content)).toContain('INFORMATION, WARNING, OFF');
    });
  });
});
