/** Patterns that are only counted, and so searched as sets: over a store, and with changes over it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Transaction, Value } from '../src/index.ts';
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
