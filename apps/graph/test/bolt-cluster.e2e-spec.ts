/** Drivers of Neo4j over several nodes of one shared store. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import neo4j, { type Driver, type QueryResult } from 'neo4j-driver';
import { BoltPeer, MESSAGE, PostgresServer } from '#graph/testing';
import { pause } from '#platform/foundation';
import { freePort } from '#testing';
import { TestService } from './support/test-service.ts';

const OUTDATED = 'Neo.TransientError.Transaction.Outdated';
const VIOLATED = 'Neo.ClientError.Schema.ConstraintValidationFailed';
const UNIQUE = 'CREATE CONSTRAINT host_id IF NOT EXISTS FOR (h:Host) REQUIRE h.id IS UNIQUE';

interface Node {
  readonly service: TestService;
  readonly address: string;
  readonly driver: Driver;
}

type Table = Readonly<Record<string, readonly string[]>>;

describe('drivers at two nodes of one store', () => {
  let server: PostgresServer;
  let directory: string;
  let schemas = 0;
  let a: Node;
  let b: Node;
  let written: string[] = [];
  let bookmarks: string[] = [];

  const start = async (name: string): Promise<Node> => {
    const port = await freePort();
    const address = `127.0.0.1:${port}`;
    const service = await TestService.start({
      environment: {
        PLEXUS_STORE_URL: `postgres://postgres@127.0.0.1:${String(server.port)}/postgres`,
        PLEXUS_STORE_PASSWORD: server.password,
        PLEXUS_STORE_SCHEMA: `bolt${schemas}`,
        PLEXUS_CACHE_DIR: join(directory, `${schemas}-${name}`),
        PLEXUS_BOLT_PORT: String(port),
        PLEXUS_BOLT_ADVERTISED: address,
      },
    });
    return { service, address, driver: neo4j.driver(`bolt://${address}`, undefined, { useBigInt: true }) };
  };
  const stop = async ({ service, driver }: Node): Promise<void> => {
    await driver.close();
    await service.stop();
  };
  /** Where a bookmark is given, the node shows at least what it stands for. */
  const run = async ({ driver }: Node, text: string, parameters = {}): Promise<QueryResult> => {
    const session = driver.session({ bookmarks });
    try {
      return await session.run(text, parameters);
    } finally {
      written.push(...session.lastBookmarks());
      await session.close();
    }
  };
  /** The same, after everything that was written so far, at either node. */
  const runAfter = async (node: Node, text: string): Promise<QueryResult> => {
    bookmarks = written;
    const result = await run(node, text);
    bookmarks = [];
    return result;
  };
  const codeOf = (work: PromiseLike<unknown>): Promise<unknown> =>
    Promise.resolve(work).then(
      () => undefined,
      (error: unknown) => (error instanceof neo4j.Neo4jError ? error.code : error),
    );
  /** The routing table that a node gives, by role. */
  const tableOf = async ({ address }: Node): Promise<Table> => {
    const peer = await BoltPeer.of(address, 5, 8);
    peer.send(MESSAGE.hello, { user_agent: 'peer/1' });
    peer.send(MESSAGE.logon, { scheme: 'none' });
    peer.send(MESSAGE.route, { address }, [], {});
    await peer.reply();
    await peer.reply();
    const { content } = await peer.reply();
    peer.destroy();
    const { servers } = content['rt'] as {
      readonly servers: readonly { readonly role: string; readonly addresses: readonly string[] }[];
    };
    return Object.fromEntries(servers.map(({ role, addresses }) => [role, addresses]));
  };
  /** Polls: an address comes with the first renewal of its lease. */
  const tableWith = async (node: Node, ...nodes: readonly Node[]): Promise<Table> => {
    const expected = nodes.map(({ address }) => address).sort();
    for (;;) {
      const table = await tableOf(node);
      if (JSON.stringify(table['READ']) === JSON.stringify(expected)) return table;
      await pause(20);
    }
  };

  beforeAll(async () => {
    server = await PostgresServer.start();
    directory = await mkdtemp(join(tmpdir(), 'plexus-bolt-cluster-'));
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });
  beforeEach(async () => {
    schemas++;
    written = [];
    a = await start('a');
    b = await start('b');
  });
  afterEach(async () => {
    await stop(a);
    await stop(b);
  });

  it('make one node where clients of both merge it at once', async () => {
    const merge = 'MERGE (n:Once {id: $id}) ON CREATE SET n.seen = 1 ON MATCH SET n.seen = n.seen + 1';
    const clients = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? a : b));
    const counters = await Promise.all(
      clients.map(async (node) => (await run(node, merge, { id: 'x' })).summary.counters.updates()),
    );
    const [count] = (await runAfter(a, 'MATCH (n:Once) RETURN count(*) AS nodes, sum(n.seen) AS seen'))
      .records;

    expect(counters.reduce((total, { nodesCreated }) => total + nodesCreated, 0)).toBe(1);
    expect(count?.toObject()).toEqual({ nodes: 1n, seen: BigInt(clients.length) });
  });

  it('make one relationship where a transaction of each merges it, and the later one can be repeated', async () => {
    await run(a, "CREATE (:End {id: 'a'}), (:End {id: 'b'})");
    const merge = "MATCH (x:End {id: 'a'}), (y:End {id: 'b'}) MERGE (x)-[r:LINKS]->(y) SET r.by = $by";
    const [one, other] = [a.driver.session(), b.driver.session({ bookmarks: written })];
    const [first, second] = [await one.beginTransaction(), await other.beginTransaction()];
    await first.run(merge, { by: 1 });
    await second.run(merge, { by: 2 });
    const outcomes = [await codeOf(first.commit()), await codeOf(second.commit())];
    await other.executeWrite((transaction) => transaction.run(merge, { by: 3n }));
    const { records } = await other.run('MATCH (:End)-[r:LINKS]->(:End) RETURN r.by AS by');
    await one.close();
    await other.close();

    expect(outcomes).toEqual([undefined, OUTDATED]);
    expect(records.map((record) => record.get('by') as bigint)).toEqual([3n]);
  });

  it('read at one node what was written at the other, by its bookmark', async () => {
    for (let round = 0; round < 5; round++) {
      const [from, to] = round % 2 === 0 ? [a, b] : [b, a];
      await run(from, 'CREATE (:Round)');
      const { records } = await runAfter(to, 'MATCH (r:Round) RETURN count(*) AS count');

      expect(records[0]?.get('count')).toBe(BigInt(round + 1));
    }
  });

  it('keep at both what a constraint says that was created at one', async () => {
    await run(a, "CREATE (:Host {id: 'x'})");
    await run(a, UNIQUE);
    const atBoth = await Promise.all([a, b].map((node) => codeOf(run(node, "CREATE (:Host {id: 'x'})"))));
    const shown = await runAfter(b, 'SHOW CONSTRAINTS YIELD name');

    expect(atBoth).toEqual([VIOLATED, VIOLATED]);
    expect(shown.records.map((record) => record.get('name') as string)).toEqual(['host_id']);
    await run(b, 'DROP CONSTRAINT host_id');
    expect(await codeOf(runAfter(a, "CREATE (:Host {id: 'x'})"))).toBeUndefined();
  });

  it('refuse a commit of one that began before a constraint of the other', async () => {
    const session = b.driver.session();
    const transaction = await session.beginTransaction();
    await transaction.run("CREATE (:Host {id: 'y'}), (:Host {id: 'y'})");
    await run(a, UNIQUE);

    expect(await codeOf(transaction.commit())).toBe(OUTDATED);
    await session.close();
  });

  it('add an index or a constraint once where both create it', async () => {
    const statements = [UNIQUE, 'CREATE INDEX ip IF NOT EXISTS FOR (n:Ip) ON (n.id)'];
    const updates = await Promise.all(
      statements.flatMap((text) =>
        [a, b, a, b].map(async (node) => (await run(node, text)).summary.counters.updates()),
      ),
    );

    expect(updates.reduce((total, each) => total + each.constraintsAdded, 0)).toBe(1);
    expect(updates.reduce((total, each) => total + each.indexesAdded, 0)).toBe(1);
  });

  it('find both nodes by a table of either, and one of them for writes', async () => {
    const tables = [await tableWith(a, a, b), await tableWith(b, a, b)];
    const routed = neo4j.driver(`neo4j://${b.address}`);
    const session = routed.session();
    await session.executeWrite((transaction) => transaction.run('CREATE (:Routed)'));
    const { records } = await session.executeRead((transaction) =>
      transaction.run('MATCH (r:Routed) RETURN r'),
    );
    await routed.close();

    for (const table of tables) {
      expect(table['ROUTE']).toEqual(table['READ']);
      expect(table['WRITE']).toHaveLength(1);
      expect(table['READ']).toContain(table['WRITE']?.[0]);
    }
    expect(records).toHaveLength(1);
  });

  it('no longer find a node that has stopped', async () => {
    await tableWith(a, a, b);
    await b.driver.close();
    await b.service.stop();
    const table = await tableWith(a, a);
    b = await start('b');

    expect(table['WRITE']).toEqual([a.address]);
  });
});
