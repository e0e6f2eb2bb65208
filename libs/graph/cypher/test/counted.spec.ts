/** Patterns that are only counted, and so searched as sets: over a store, and with changes over it. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { GraphReader } from '#graph/execution';
import type { StatementResult, Transaction, Value } from '../src/index.ts';
import { MemoryStore } from './memory-store.ts';

const NEVER = { aborted: false };
const WRITE = { access: 'write' } as const;
const GRAPH = `CREATE (a:A)-[:X]->(b:B), (a)-[:Y {n: 1}]->(b), (a)-[:Y {n: 2}]->(b), (a)-[:X]->(:B {n: 3}),
  (m:M)-[:T]->(x:E), (m)-[:T]->(x), (c:C)-[:R]->(m), (c)-[:T]->(x), (c)-[:T]->(:E), (s:M)-[:T]->(s), (s)-[:R]->(s)`;

describe('what is only counted', () => {
  let store: MemoryStore;
  let changed: Transaction;

  const statement = (text: string) => ({ text, parameters: new Map<string, Value>() });

  beforeAll(async () => {
    store = await MemoryStore.open();
    await store.transactions.run(statement(GRAPH), WRITE, NEVER);
    changed = await store.transactions.begin(WRITE, NEVER);
    await changed.run(statement('CREATE (:Other)'), NEVER);
  });
  afterAll(async () => {
    changed.rollback();
    await store.close();
  });

  async function expectCount(text: string, expected: readonly (readonly Value[])[]): Promise<void> {
    const alone = await store.transactions.run(statement(text), WRITE, NEVER);
    expect(await alone.take(10)).toEqual(expected);
    const within = await changed.run(statement(text), NEVER);
    expect(await within.take(10)).toEqual(expected);
  }

  it.each([
    ['count(DISTINCT r)', 2n],
    ['sum(DISTINCT r.n)', 3n],
    ['count(DISTINCT b)', 1n],
    ['count(*)', 2n],
  ])('is so of relationships that close a cycle: %s', async (result, expected) => {
    await expectCount(`MATCH (a:A)-[:X]->(b), (a)-[r:Y]->(b) RETURN ${result}`, [[expected]]);
  });

  it.each([
    ['(x)<-[:T]-()<-[:R]-()-[:T]->(y) WHERE x <> y', 2n],
    ['(x)<-[:T]-()<-[:R]-()-[:T]->(y)', 4n],
    ['(x)<-[:T]-(m)<-[:R]-(c)-[:T]->() WHERE m <> c', 4n],
    ['(x)-[:T]-()-[:R]-()-[:T]-(y) WHERE x <> y', 4n],
  ])('takes no relationship twice, whatever else differs: %s', async (pattern, expected) => {
    await expectCount(`MATCH ${pattern} RETURN count(*)`, [[expected]]);
  });

  it('has the different nodes at one place as rows', async () => {
    await expectCount('MATCH (a)-[:X]->(b) RETURN a.n, count(DISTINCT b), sum(DISTINCT b.n)', [
      [null, 2n, 3n],
    ]);
    await expectCount('MATCH (a)-[:X]->(b) RETURN max(b.n)', [[3n]]);
    await expectCount('MATCH (a)-[:X]->(b:None) RETURN count(DISTINCT b)', [[0n]]);
  });
});

describe('a star that is only counted', () => {
  let store: MemoryStore;

  const run = async (text: string): Promise<StatementResult> =>
    store.transactions.run({ text, parameters: new Map([['least', 3n]]) }, WRITE, NEVER);

  beforeAll(async () => {
    store = await MemoryStore.open();
    await run('UNWIND range(1, 9) AS i CREATE (:User {i: i}), (:Host {i: i}), (:Service {i: i})');
    await run('MATCH (u:User), (h:Host) WHERE u.i < h.i CREATE (u)-[:OWNS]->(h)');
    await run('MATCH (h:Host), (s:Service) WHERE h.i * 2 < s.i CREATE (h)-[:RUNS]->(s), (h)-[:RUNS]->(s)');
    await store.reopen();
  });
  afterAll(() => store.close());

  async function countOf(pattern: string): Promise<readonly [string | undefined, Value | undefined]> {
    const { summary } = await run(`EXPLAIN ${pattern} RETURN count(*)`);
    const [[count] = []] = await (await run(`${pattern} RETURN count(*)`)).take(1);
    return [summary.plan?.root.children[0]?.children[0]?.operator, count];
  }

  const BOTH = '(:User)-[:OWNS]->(h:Host)-[:RUNS]->(:Service)';

  it.each([
    [`MATCH ${BOTH}`, 'CountByDegree', 28n],
    [`MATCH ${BOTH} WHERE h.i > $least`, 'CountByDegree', 6n],
    ['MATCH (h:Host)<-[:OWNS]-(:User) OPTIONAL MATCH (h)-[:RUNS]->(:Service)', 'CountByDegree', 58n],
    ['MATCH (:User)-[r]->(h:Host)-->(:Service)', 'PatternSearch', 28n],
    ['MATCH (:User {i: 1})-[:OWNS]->(:Host)-[:RUNS]->(:Service)', 'PatternSearch', 18n],
    ['MATCH (a:Host)<-[:OWNS]-(:User)-[:OWNS]->(b:Host)', 'PatternSearch', 168n],
  ])('adds up the products of numbers of links: %s', async (pattern, operator, count) => {
    expect(await countOf(pattern)).toEqual([operator, count]);
  });

  it('follows them where the data has changed since it was sealed', async () => {
    await run('MATCH (:User {i: 1})-[o:OWNS]->(:Host {i: 2}) DELETE o');
    expect(await countOf(`MATCH ${BOTH}`)).toEqual(['CountByDegree', 18n]);
    await run('CREATE (:User)-[:OWNS]->(:Host)');
    expect(await countOf(`MATCH ${BOTH}`)).toEqual(['PatternSearch', 18n]);
  });
});

describe('a property that is only counted', () => {
  let store: MemoryStore;

  const run = async (text: string): Promise<readonly (readonly Value[])[]> => {
    const result = await store.transactions.run({ text, parameters: new Map() }, WRITE, NEVER);
    return result.take(10);
  };

  beforeAll(async () => {
    store = await MemoryStore.open();
    await run('UNWIND range(1, 20) AS i CREATE (:P {i: i})');
    await run('MATCH (n:P) WHERE n.i % 2 = 0 SET n.even = n.i, n.kind = date()');
    await run('MATCH (n:P) WHERE n.i % 5 = 0 SET n.list = []');
  });
  afterAll(() => store.close());

  async function expectCounts(): Promise<void> {
    expect(await run('MATCH (n:P) RETURN count(n.even)')).toEqual([[10n]]);
    expect(await run('MATCH (n:P) RETURN count(n.even) + count(n.even) AS twice')).toEqual([[20n]]);
    expect(await run('MATCH (n) WHERE n.i > 4 RETURN count(n.even)')).toEqual([[8n]]);
    expect(await run('MATCH (n:P {i: 4}) RETURN count(n.even)')).toEqual([[1n]]);
    expect(await run('MATCH (n:P) RETURN count(n.list)')).toEqual([[4n]]);
    expect(await run('MATCH (n:P) RETURN count(n.kind)')).toEqual([[10n]]);
    expect(await run('MATCH (n:P) RETURN count(n.none)')).toEqual([[0n]]);
    expect(await run('MATCH (n:P) RETURN count(n.even), count(*)')).toEqual([[10n, 20n]]);
    expect(await run('MATCH (n:P) RETURN count(n.even), count(n.list)')).toEqual([[10n, 4n]]);
    expect(await run('MATCH (n:P) WHERE n.i < 5 RETURN n.i AS i, count(n.even) ORDER BY i')).toEqual([
      [1n, 0n],
      [2n, 1n],
      [3n, 0n],
      [4n, 1n],
    ]);
  }

  it('is so whatever its values are, and of nodes that are new, sealed, and changed', async () => {
    await expectCounts();
    await store.reopen();
    await expectCounts();
    await run('MATCH (n:P {i: 2}) REMOVE n.even');
    await run('MATCH (n:P {i: 3}) SET n.even = 3');
    await run('MATCH (n:P {i: 5}) SET n.list = null');
    expect(await run('MATCH (n:P) RETURN count(n.even)')).toEqual([[10n]]);
    expect(await run('MATCH (n:P) RETURN count(n.list)')).toEqual([[3n]]);
  });

  it('has the values of each run', async () => {
    const counted = async (i: number): Promise<unknown> => {
      const text = 'MATCH (n:P {i: $i}) MATCH (m:P) WHERE m.i = $i OR m.i = 4 RETURN n.i, count(m)';
      const result = await store.transactions.run(
        { text, parameters: new Map([['i', BigInt(i)]]) },
        WRITE,
        NEVER,
      );
      return result.take(1);
    };
    expect(await counted(1)).toEqual([[1n, 2n]]);
    expect(await counted(4)).toEqual([[4n, 1n]]);
    expect(await counted(1)).toEqual([[1n, 2n]]);
    expect(await counted(99)).toEqual([]);
  });
});

it('looks a node up once that others differ from', async () => {
  const store = await MemoryStore.open();
  try {
    await store.value('UNWIND range(1, 100) AS i CREATE (:A {n: i})-[:X]->(:B)');
    await store.reopen();
    const reader = Object.getPrototypeOf(store.graph.snapshot()) as Pick<GraphReader, 'select'>;
    const select = jest.spyOn(reader, 'select');
    expect(await store.value('MATCH (a:A {n: 9})-[*1..2]->(b) WHERE b <> a RETURN count(DISTINCT b)')).toBe(
      1n,
    );
    expect(select).toHaveBeenCalledTimes(1);
  } finally {
    jest.restoreAllMocks();
    await store.close();
  }
});
