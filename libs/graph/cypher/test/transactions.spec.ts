/** Transactions over a real store on a disk in memory. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Graph } from '#graph/engine';
import { systemClock } from '#platform/foundation';
import { CrashDisk } from '#testing';
import type { CypherMap, Value } from '../src/index.ts';
import { MemoryStore, transactionsOver } from './memory-store.ts';

const NEVER = { aborted: false };
const WRITE = { access: 'write' } as const;

describe('a transaction', () => {
  let store: MemoryStore;

  beforeEach(async () => {
    store = await MemoryStore.open();
  });
  afterEach(() => store.close());

  const run = async (
    text: string,
    parameters: CypherMap = new Map(),
  ): Promise<readonly (readonly Value[])[]> =>
    (await store.transactions.run({ text, parameters }, WRITE, NEVER)).take(Infinity);
  const statement = (text: string) => ({ text, parameters: new Map<string, Value>() });

  it('reads its own writes by label, by property, by pattern and by count', async () => {
    await run("CREATE (:Host {id: 'a'})-[:RUNS]->(:Service {name: 'ssh'})");
    const transaction = await store.transactions.begin(WRITE, NEVER);
    const rows = async (text: string) => (await transaction.run(statement(text), NEVER)).take(Infinity);

    await rows(
      "MATCH (h:Host {id: 'a'}) SET h.id = 'b', h:Seen CREATE (h)-[:RUNS]->(:Service {name: 'dns'})",
    );

    expect(await rows("MATCH (h:Host {id: 'a'}) RETURN count(*)")).toEqual([[0n]]);
    expect(await rows("MATCH (h:Seen {id: 'b'})-[:RUNS]->(s) RETURN s.name ORDER BY s.name")).toEqual([
      ['dns'],
      ['ssh'],
    ]);
    expect(await rows('MATCH (s:Service) RETURN count(*)')).toEqual([[2n]]);
    await rows('MATCH (h:Seen) DETACH DELETE h');
    expect(await rows('MATCH (n) OPTIONAL MATCH (n)-[r]-() RETURN count(n), count(r)')).toEqual([[2n, 0n]]);
    expect(await run('MATCH (h:Host) RETURN h.id')).toEqual([['a']]);

    await transaction.commit();
    expect(await run('MATCH (n) RETURN n.name ORDER BY n.name')).toEqual([['dns'], ['ssh']]);
  });

  it('writes in every part of a UNION in a subquery, whose parts return nothing', async () => {
    await run("CREATE (:Account {id: 'a'}), (:Zone {id: 'z'})");

    await run(
      `UNWIND ['s1', 's2'] AS id MERGE (s:Server {id: id}) WITH s
       CALL (s) {
         OPTIONAL MATCH (a:Account {id: 'a'}) WITH s, a WHERE a IS NOT NULL MERGE (s)<-[:RESOURCE]-(a)
         UNION
         OPTIONAL MATCH (z:Zone) WITH s, z WHERE z IS NOT NULL MERGE (s)<-[:SERVES]-(z)
       }`,
    );

    const links = 'MATCH (s:Server)<-[r]-(o) RETURN s.id, type(r), o.id ORDER BY s.id, type(r)';
    expect(await run(links)).toEqual([
      ['s1', 'RESOURCE', 'a'],
      ['s1', 'SERVES', 'z'],
      ['s2', 'RESOURCE', 'a'],
      ['s2', 'SERVES', 'z'],
    ]);
    await expect(run('CALL { CREATE (:A) UNION RETURN 1 AS x }')).rejects.toMatchObject({
      code: 'CYPHER_SYNTAX',
    });
  });

  it('leaves nothing after a rollback, or after an error', async () => {
    const rolledBack = await store.transactions.begin(WRITE, NEVER);
    await rolledBack.run(statement('CREATE (:A)'), NEVER);
    rolledBack.rollback();
    const failed = await store.transactions.begin(WRITE, NEVER);
    await failed.run(statement('CREATE (:A)'), NEVER);
    const failing = await failed.run(statement('RETURN 1 / 0'), NEVER);
    await expect(failing.take(1)).rejects.toMatchObject({
      code: 'CYPHER_FAILED',
    });

    expect([rolledBack.isOpen, failed.isOpen]).toEqual([false, false]);
    await expect(failed.commit()).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await run('MATCH (n) RETURN count(*)')).toEqual([[0n]]);
  });

  it('is overtaken by one that changes the same node and commits first', async () => {
    await run('CREATE (:Counter {id: 1, value: 0})');
    const [first, second] = await Promise.all([
      store.transactions.begin(WRITE, NEVER),
      store.transactions.begin(WRITE, NEVER),
    ]);
    const increment = statement('MATCH (c:Counter) SET c.value = c.value + 1 RETURN c.value');
    await first.run(increment, NEVER);
    await second.run(increment, NEVER);
    await second.commit();

    await expect(first.commit()).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { code: 'Neo.TransientError.Transaction.Outdated' },
    });
    expect(await run('MATCH (c:Counter) RETURN c.value')).toEqual([[1n]]);
  });

  it('does not mind changes of what it has only read', async () => {
    await run('CREATE (:A {x: 1}), (:B {x: 1})');
    const transaction = await store.transactions.begin(WRITE, NEVER);
    await transaction.run(statement('MATCH (a:A), (b:B) SET b.x = a.x + 1'), NEVER);
    await run('MATCH (a:A) SET a.x = 7');
    await transaction.commit();

    expect(await run('MATCH (n) RETURN n.x ORDER BY n.x')).toEqual([[2n], [7n]]);
  });

  it.each([
    ['a node', 'MERGE (h:Host {name: "web"}) ON CREATE SET h.by = 1', [3n, 0n]],
    ['a relationship', 'MATCH (a:End {n: 1}), (b:End {n: 2}) MERGE (a)-[:LINKS]->(b)', [2n, 1n]],
    ['one with properties', 'MATCH (a:End {n: 1}), (b:End {n: 2}) MERGE (a)-[:L {port: 1}]->(b)', [2n, 1n]],
    ['a path', 'MATCH (a:End {n: 1}) MERGE (a)-[:LINKS]->(:Found {name: "x"})', [3n, 1n]],
  ])('never makes %s twice where another one merges it too', async (_, text, expected) => {
    await run('CREATE (:End {n: 1}), (:End {n: 2})');
    const transaction = await store.transactions.begin(WRITE, NEVER);
    await transaction.run(statement(text), NEVER);
    await run(text);

    await expect(transaction.commit()).rejects.toMatchObject({ code: 'CONFLICT' });
    await run(text);
    expect(await run('MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN count(n), count(r)')).toEqual([expected]);
  });

  it('is overtaken where a node that it deletes was connected meanwhile', async () => {
    await run("CREATE (:A {id: 'a'}), (:B {id: 'b'})");
    const transaction = await store.transactions.begin(WRITE, NEVER);
    await transaction.run(statement('MATCH (a:A) DETACH DELETE a'), NEVER);
    await run('MATCH (a:A), (b:B) CREATE (b)-[:T]->(a)');

    await expect(transaction.commit()).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await run('MATCH (b:B)-[:T]->(a:A) RETURN a.id')).toEqual([['a']]);
  });

  it('is overtaken where an end of its new relationship was deleted meanwhile', async () => {
    await run("CREATE (:A {id: 'a'}), (:B {id: 'b'})");
    const transaction = await store.transactions.begin(WRITE, NEVER);
    await transaction.run(statement('MATCH (a:A), (b:B) CREATE (b)-[:T]->(a)'), NEVER);
    await run('MATCH (a:A) DELETE a');

    await expect(transaction.commit()).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('runs a statement alone again until no other is first: a hundred at once lose nothing', async () => {
    await run('CREATE (:Counter {id: 1, value: 0})');
    const all = Array.from({ length: 100 }, () => run('MATCH (c:Counter) SET c.value = c.value + 1'));
    await Promise.all(all);

    expect(await run('MATCH (c:Counter) RETURN c.value')).toEqual([[100n]]);
  });

  it('keeps what a statement in transactions has committed before its error', async () => {
    const text = `UNWIND range(1, 10) AS x CALL (x) { CREATE (:N {x: 10 / (8 - x)}) } IN TRANSACTIONS OF 3 ROWS`;

    await expect(run(text)).rejects.toMatchObject({ details: { kind: 'NumberOutOfRange' } });
    expect(await run('MATCH (n:N) RETURN count(*)')).toEqual([[6n]]);
  });

  it('is refused to write where it was begun for reading', async () => {
    const transaction = await store.transactions.begin({ access: 'read' }, NEVER);

    await expect(transaction.run(statement('CREATE (:A)'), NEVER)).rejects.toMatchObject({
      details: { code: 'Neo.ClientError.Statement.AccessMode' },
    });
  });

  it('writes as the source that its metadata names, and deletes of others only what they allow', async () => {
    const metadata = new Map([['source', 'cartography']]);
    await store.transactions.run(statement("CREATE (:Host {id: 'h'})"), { ...WRITE, metadata }, NEVER);
    const remove = statement('MATCH (h:Host) DELETE h');

    await expect(store.transactions.run(remove, WRITE, NEVER)).rejects.toMatchObject({
      message: expect.stringContaining('cartography'),
    });
    expect(await run('MATCH (h:Host) RETURN h._source')).toEqual([['cartography']]);
    await store.transactions.run(
      remove,
      { ...WRITE, metadata: new Map([['sources', ['cartography']]]) },
      NEVER,
    );
    expect(await run('MATCH (h:Host) RETURN count(*)')).toEqual([[0n]]);
  });

  it('has timed out once its timer says so, even if its clock is a little behind', async () => {
    const stopped = { ...systemClock, monotonicMs: () => 0 };
    const parts = { procedures: undefined, queryMemory: 1_048_576 };
    const transactions = transactionsOver(store.graph, parts, stopped);
    const transaction = await transactions.begin({ access: 'read', timeoutMs: 1 }, NEVER);
    while (transaction.isOpen) await new Promise(setImmediate);

    await expect(transaction.run(statement('RETURN 1'), NEVER)).rejects.toMatchObject({
      code: 'QUERY_TIMEOUT',
    });
  });

  it('is taken by a statement of its own with the first rows, which are of one state to the last', async () => {
    await run('UNWIND range(1, 3) AS x CREATE (:N {x: x})');
    const text = 'MATCH (n:N) RETURN n.x AS x';
    const waiting = await store.transactions.run(statement(text), WRITE, NEVER);
    const begun = await store.transactions.run(statement(text), WRITE, NEVER);
    expect(await begun.take(1)).toHaveLength(1);
    await run('CREATE (:N {x: 4})');

    expect(await begun.take(Infinity)).toHaveLength(2);
    expect(await waiting.take(Infinity)).toHaveLength(4);
    expect([begun.hasMore, waiting.hasMore]).toEqual([false, false]);
  });

  it('holds no place among the running statements before its rows are asked for', async () => {
    const waiting = [];
    for (let at = 0; at < 300; at++)
      waiting.push(await store.transactions.run(statement('RETURN 1 AS x'), WRITE, NEVER));

    for (const result of waiting) expect(await result.take(Infinity)).toEqual([[1n]]);
  });

  it('has the summary of a statement whose rows were not asked for', async () => {
    const closed = await store.transactions.run(statement('MATCH (n:None) RETURN n'), WRITE, NEVER);
    closed.close();

    expect(closed.hasMore).toBe(false);
    expect(await closed.take(1)).toEqual([]);
    expect(closed.summary).toMatchObject({ kind: 'r', notifications: [{ severity: 'WARNING' }] });
    expect(closed.summary.bookmark).toMatch(/\.\d+$/);
  });

  it('ends a statement of its own whose rows are left until its time is over', async () => {
    const stopped = { ...systemClock, monotonicMs: () => 0 };
    const parts = { procedures: undefined, queryMemory: 1_048_576 };
    const transactions = transactionsOver(store.graph, parts, stopped);
    const text = statement('UNWIND range(1, 3) AS x RETURN x');
    const result = await transactions.run(text, { access: 'read', timeoutMs: 1 }, NEVER);
    expect(await result.take(1)).toEqual([[1n]]);
    while (result.hasMore) await new Promise(setImmediate);

    expect(await result.take(1)).toEqual([]);
  });

  it('frees the moment that it reads, also if nothing runs in it', async () => {
    const graph = await Graph.open({ directory: '/data', disk: new CrashDisk(1), historyMs: 60_000 });
    const transactions = transactionsOver(graph, { procedures: undefined, queryMemory: 1_048_576 });
    const asOf = { moment: { seq: graph.durableVersion } };
    const options = { access: 'read', asOf, scope: { except: { types: ['secret'] } } } as const;

    const transaction = await transactions.begin(options, NEVER);
    const open = graph.openSnapshots;
    transaction.rollback();
    const aborted = transactions.begin(options, { aborted: true });

    await expect(aborted).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
    expect([open, graph.openSnapshots]).toEqual([1, 0]);
    await graph.close();
  });

  it('bounds its memory over all of its statements', async () => {
    const transaction = await store.transactions.begin(WRITE, NEVER);
    const text =
      'UNWIND range(1, 20000) AS x CREATE (:N {x: x, text: "0123456789012345678901234567890123456789"})';
    const fill = async (): Promise<void> => {
      for (let times = 0; times < 40; times++) await transaction.run(statement(text), NEVER);
    };

    await expect(fill()).rejects.toMatchObject({ code: 'QUERY_TOO_LARGE' });
  });
});
