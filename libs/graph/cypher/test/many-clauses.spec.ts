/** Statements of as many clauses and relationships as they may have. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MemoryStore } from './memory-store.ts';

const times = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join('\n');
const HOPS = '-[:R]->()'.repeat(6);

describe('a statement of hundreds of clauses', () => {
  let store: MemoryStore;

  beforeAll(async () => {
    store = await MemoryStore.open();
    await store.value(`CREATE (:A {i: 1})${'-[:R]->({i: 2})'.repeat(6)}`);
  });
  afterAll(() => store.close());

  it.each([
    ['MATCH', `${times(400, () => `MATCH (:A {i: 1})${HOPS}`)} RETURN 1`, 1n],
    ['MATCH, all of them counted', `${times(400, () => `MATCH (:A {i: 1})${HOPS}`)} RETURN count(*)`, 1n],
    ['OPTIONAL MATCH', `${times(900, () => 'OPTIONAL MATCH (:None)-->()')} RETURN 2`, 2n],
    ['WITH', `WITH 0 AS x ${times(900, () => 'WITH x + 1 AS x WHERE x > 0')} RETURN x`, 900n],
    [
      'UNWIND',
      `WITH 1 AS x ${times(400, () => 'UNWIND [x] AS y WITH y AS x')} UNWIND [1, 2] AS y RETURN sum(x + y)`,
      5n,
    ],
    ['LIMIT', `UNWIND range(1, 9) AS x ${times(400, () => 'WITH x LIMIT 5 WITH x')} RETURN sum(x)`, 15n],
  ])('%s has its rows', async (_, text, expected) => {
    expect(await store.value(text)).toBe(expected);
  });

  it('writes each of its changes once', async () => {
    const text = `UNWIND [1, 2] AS x ${times(490, (at) => `CREATE (n${String(at)}:New {x: x}) WITH x`)}
      RETURN count(*)`;

    expect(await store.value(text)).toBe(2n);
    expect(await store.value('MATCH (n:New) RETURN count(*) + sum(n.x)')).toBe(980n + 1_470n);
  });
});
