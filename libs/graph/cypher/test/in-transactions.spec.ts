/** CALL { … } IN TRANSACTIONS: what an error of one of them leaves. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryStore } from './memory-store.ts';
import { isMap, type Value } from '../src/value/value.ts';

const NEVER = { aborted: false };
const WRITE = { access: 'write' } as const;
const FAILING = 'UNWIND [1, 0, 2, 0, 3] AS x CALL (x) { CREATE (n:N {x: 6 / x}) RETURN n.x AS y }';

describe('a call in transactions', () => {
  let store: MemoryStore;

  beforeEach(async () => {
    store = await MemoryStore.open();
  });
  afterEach(() => store.close());

  const execute = (text: string) =>
    store.transactions.run({ text, parameters: new Map<string, Value>() }, WRITE, NEVER);
  const rows = async (text: string) => (await execute(text)).take(Infinity);
  const stored = async () => (await rows('MATCH (n:N) RETURN n.x ORDER BY n.x')).flat();

  it.each([
    ['CONTINUE', '1 ROW', [6n, null, 3n, null, 2n], [2n, 3n, 6n]],
    ['BREAK', '1 ROW', [6n, null, null, null, null], [6n]],
    ['CONTINUE', '2 ROWS', [null, null, null, null, 2n], [2n]],
    ['CONTINUE', '100 ROWS', [null, null, null, null, null], []],
  ])('ON ERROR %s of %s has nulls for what has failed', async (action, size, values, kept) => {
    const text = `${FAILING} IN TRANSACTIONS OF ${size} ON ERROR ${action} RETURN y`;
    const result = await execute(text);

    expect((await result.take(Infinity)).flat()).toEqual(values);
    expect(await stored()).toEqual(kept);
    expect(result.summary.counters).toMatchObject({
      nodes_created: kept.length,
      properties_set: kept.length,
    });
  });

  it('reports the status of each transaction', async () => {
    const text = `${FAILING} IN 2 CONCURRENT TRANSACTIONS OF 1 ROW ON ERROR BREAK REPORT STATUS AS s RETURN x, s`;
    const statuses = (await rows(text)).map(([x, s]) => [x, ...(isMap(s) ? s.values() : [])]);
    const id = expect.stringContaining('transaction');

    expect(statuses).toEqual([
      [1n, true, true, id, null],
      [0n, true, false, id, expect.stringContaining('zero')],
      [2n, false, false, null, null],
      [0n, false, false, null, null],
      [3n, false, false, null, null],
    ]);
  });

  it('takes back every kind of change of one that has failed', async () => {
    await execute('CREATE (a:A {i: 1, old: "x"})-[:R {w: 1}]->(b:B {i: 2}), (:Alone {i: 3})');
    const changes = [
      'MATCH (a:A)-[r:R]->(b), (c:Alone)',
      'SET a.i = 9, a.more = 1, a.old = null, a:New, r.w = 5 REMOVE a:A',
      'CREATE (a)-[:S]->(:N {x: 1}) DELETE r, c MERGE (:N {x: 2})',
      'SET b.i = 1 / 0',
    ].join(' ');
    await execute(`UNWIND [1, 2] AS x CALL (x) { ${changes} } IN TRANSACTIONS OF 1 ROW ON ERROR CONTINUE`);
    await execute(`UNWIND [1] AS x CALL (x) { CREATE (:N {x: 7}) } IN TRANSACTIONS ON ERROR CONTINUE`);

    expect(
      await rows('MATCH (a:A)-[r]->(b) RETURN properties(a), labels(a), type(r), r.w, b.i, count(*)'),
    ).toEqual([
      [
        new Map<string, Value>([
          ['i', 1n],
          ['old', 'x'],
        ]),
        ['A'],
        'R',
        1n,
        2n,
        1n,
      ],
    ]);
    expect(await rows('MATCH (n) RETURN labels(n), n.i ORDER BY n.i')).toEqual([
      [['A'], 1n],
      [['B'], 2n],
      [['Alone'], 3n],
      [['N'], null],
    ]);
    expect(await stored()).toEqual([7n]);
  });

  it('sees, in the next one, nothing of what was taken back', async () => {
    const text = `UNWIND [1, 0, 1] AS x CALL (x) { MERGE (n:N {x: 5}) ON CREATE SET n.made = x SET n.y = 1 / x
      RETURN n.made AS made } IN TRANSACTIONS OF 1 ROW ON ERROR CONTINUE RETURN made`;

    expect((await rows(text)).flat()).toEqual([1n, null, 1n]);
    expect(await rows('MATCH (n:N) RETURN count(*), n.y')).toEqual([[1n, 1n]]);
  });

  it('tests constraints at each commit', async () => {
    await execute('CREATE CONSTRAINT FOR (n:N) REQUIRE n.x IS UNIQUE');
    const twice = 'UNWIND [1, 1, 2] AS x CALL (x) { CREATE (:N {x: x}) } IN TRANSACTIONS OF 1 ROW';

    await expect(rows(twice)).rejects.toMatchObject({ details: { kind: 'ConstraintViolation' } });
    expect(await stored()).toEqual([1n]);
    await rows(`${twice} ON ERROR CONTINUE`);
    expect(await stored()).toEqual([1n, 2n]);
  });

  it('goes on after a transaction that another writer has overtaken', async () => {
    await execute('UNWIND range(1, 3) AS x CREATE (:N {x: x})');
    let hasMet = false;
    const meet = (): boolean => {
      if (!hasMet) {
        hasMet = true;
        void execute('MATCH (n:N {x: 2}) SET n.other = 1');
      }
      return false;
    };
    const hangUp = Object.defineProperty({ aborted: false }, 'aborted', { get: meet });
    const text = `MATCH (n:N) WITH n ORDER BY n.x CALL (n) { SET n.y = 1 } IN TRANSACTIONS OF 1 ROW
      ON ERROR CONTINUE REPORT STATUS AS s RETURN s.committed`;
    const result = await store.transactions.run({ text, parameters: new Map() }, WRITE, hangUp);
    const committed = (await result.take(Infinity)).flat();
    const written = await rows('MATCH (n:N) RETURN n.y IS NOT NULL ORDER BY n.x');

    expect(written.flat()).toEqual(committed);
    expect(await rows('MATCH (n:N {x: 2}) RETURN n.other')).toEqual([[1n]]);
  });

  it('is not gone on with where its time is over, or its memory', async () => {
    const text = `UNWIND range(1, 3) AS x CALL (x) { UNWIND range(1, 1000000000) AS y WITH collect(y) AS all
      CREATE (:N {x: size(all)}) } IN TRANSACTIONS OF 1 ROW ON ERROR CONTINUE`;

    await expect(rows(text)).rejects.toMatchObject({ code: 'QUERY_TOO_LARGE' });
  });

  it.each([
    ['IN TRANSACTIONS REPORT STATUS AS s', 'REPORT STATUS needs ON ERROR CONTINUE'],
    ['IN TRANSACTIONS ON ERROR FAIL REPORT STATUS AS s', 'REPORT STATUS needs'],
    ['IN TRANSACTIONS ON ERROR RETRY', 'expected CONTINUE, BREAK or FAIL, found `RETRY`'],
    ['IN TRANSACTIONS ON ERROR CONTINUE REPORT STATUS AS x', '`x` is already defined'],
    ['IN 3 TRANSACTIONS', 'expected CONCURRENT'],
    ['IN TRANSACTIONS OF 0 ROWS ON ERROR', 'expected CONTINUE'],
  ])('%s is refused', async (end, message) => {
    await expect(rows(`UNWIND [1] AS x CALL (x) { CREATE (:N) } ${end}`)).rejects.toMatchObject({
      code: 'CYPHER_SYNTAX',
      message: expect.stringContaining(message),
    });
  });
});
