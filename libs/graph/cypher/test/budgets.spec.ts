/** Statements that would never end, or never fit: each ends at its time or memory while others go on. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MemoryStore } from './memory-store.ts';

const NEVER = { aborted: false };
/** Bytes of a statement. */
const MEMORY = 8 * 1_048_576;
/** A list of two lists, each of which is the same list of two lists, and so on: 2^100 parts in 200 values. */
const NESTED = 'reduce(l = [1], x IN range(1, 100) | [l, l])';
/** The same of maps. */
const NESTED_MAP = 'reduce(m = {a: 1}, x IN range(1, 100) | {a: m, b: m})';
/** A text, and one that is almost in it everywhere. */
const ALMOST = `reduce(s = 'aa', x IN range(1, 16) | s + s) AS t, reduce(s = 'aa', x IN range(1, 13) | s + s) AS h WITH t, h + 'b' + h AS s`;
/** A text of two million characters. */
const LONG_TEXT = `reduce(s = 'aa', x IN range(1, 20) | s + s)`;

describe('a statement', () => {
  let store: MemoryStore;

  const run = async (text: string, timeoutMs = 600_000, hangUp = NEVER): Promise<string> => {
    const statement = { text, parameters: new Map() };
    try {
      const result = await store.transactions.run(statement, { access: 'write', timeoutMs }, hangUp);
      return `${String((await result.take(Infinity)).length)} rows`;
    } catch (error) {
      return String((error as { readonly code?: unknown }).code);
    }
  };

  beforeAll(async () => {
    store = await MemoryStore.open(undefined, MEMORY);
    await run('UNWIND range(0, 99) AS i CREATE (:N {i: i})');
    await run(
      'MATCH (a:N), (b:N) WHERE b.i = (a.i * 7 + 1) % 100 OR b.i = (a.i + 1) % 100 CREATE (a)-[:R]->(b)',
    );
  });
  afterAll(() => store.close());

  it.each([
    ['a list of 10^9', 'UNWIND range(1, 1000000000) AS x RETURN count(x)'],
    ['the size of such a list', 'RETURN size(range(1, 1000000000)) AS n'],
    ['a text that doubles', `RETURN size(reduce(s = 'ab', x IN range(1, 60) | s + s)) AS n`],
    ['a list that doubles', 'RETURN size(reduce(l = [1, 2], x IN range(1, 60) | l + l)) AS n'],
    ['lists in a list', 'RETURN size([x IN range(1, 100000) | range(1, 100000)]) AS n'],
    ['parts of a list', 'WITH range(1, 20000) AS l RETURN size([x IN l | l[0..10000]]) AS n'],
    ['rests of a list', 'WITH range(1, 20000) AS l RETURN size([x IN l | tail(l)]) AS n'],
    ['converted lists', 'WITH range(1, 20000) AS l RETURN size([x IN l | toStringList(l)]) AS n'],
    [
      'many variables',
      `${Array.from({ length: 40 }, (_, at) => `WITH ${at > 0 ? '*, ' : ''}range(1, 200000) AS l${String(at)}`).join(' ')} RETURN 1`,
    ],
    [
      'lists one in another',
      `${Array.from({ length: 40 }, (_, at) => `UNWIND range(1, 200000) AS l${String(at)}`).join(' ')} RETURN count(*)`,
    ],
    [
      'the collected rows of a cross product',
      'MATCH (a), (b), (c), (d) RETURN size(collect([a, b, c, d])) AS n',
    ],
    ['collected lists', 'UNWIND range(1, 1000) AS i RETURN size(collect(range(1, 10000))) AS n'],
    ['replaced texts', `WITH ${LONG_TEXT} AS t RETURN size(replace(replace(t, 'a', t), 'a', t)) AS n`],
    ['a text in parts', `WITH ${LONG_TEXT} AS t RETURN size(split(t, 'a')) AS n`],
    ['a text in characters', `WITH ${LONG_TEXT} AS t RETURN left(t, 2) AS n`],
    [
      'an order of many rows',
      'UNWIND range(1, 1000) AS a UNWIND range(1, 10000) AS x RETURN x ORDER BY x DESC',
    ],
    ['an order of lists', 'UNWIND range(1, 1000) AS a WITH range(1, 10000) AS l RETURN l ORDER BY l'],
    [
      'percentiles',
      'UNWIND range(1, 1000) AS a UNWIND range(1, 10000) AS x RETURN percentileDisc(x, 0.5) AS p',
    ],
    [
      'distinct rows',
      'UNWIND range(1, 1000) AS a UNWIND range(1, 10000) AS b RETURN DISTINCT a * 10000 + b AS x',
    ],
    ['lists that nest', 'RETURN reduce(l = [], x IN range(1, 100000) | [l]) AS l'],
    [
      'the equality of such lists',
      'WITH reduce(l = [], x IN range(1, 100000) | [l]) AS l RETURN l = l AS same',
    ],
    ['a list that holds one list twice, and so on', `RETURN ${NESTED} AS l`],
    ['its equality', `WITH ${NESTED} AS l RETURN l = l AS same`],
    ['its order', `WITH ${NESTED} AS l UNWIND [l, l] AS x WITH x ORDER BY x RETURN 1 AS one`],
    ['its comparison', `WITH ${NESTED} AS l RETURN l < l AS less`],
    ['its place among others', `WITH ${NESTED} AS l RETURN l IN [l] AS isIn`],
    ['its distinctness', `WITH ${NESTED} AS l UNWIND [l, l] AS x RETURN count(DISTINCT x) AS n`],
    ['it as a key', `WITH ${NESTED} AS l RETURN l, count(*) AS n`],
    ['the greatest of several', `WITH ${NESTED} AS l UNWIND [l, l] AS x RETURN size(max(x)) AS n`],
    ['the name of its type', `WITH ${NESTED} AS l RETURN valueType(l) AS type`],
    [
      'a test of its type',
      `WITH reduce(l = [1], x IN range(1, 25) | [l, l, l]) AS l RETURN l IS :: ${'LIST<'.repeat(26)}INTEGER${'>'.repeat(26)} AS is`,
    ],
    ['a map that holds one map twice, and so on', `RETURN ${NESTED_MAP} AS m`],
    ['the equality of such maps', `WITH ${NESTED_MAP} AS m RETURN m = m AS same`],
    [
      'the order of such maps',
      `WITH ${NESTED_MAP} AS m UNWIND [m, m] AS x WITH x ORDER BY x RETURN 1 AS one`,
    ],
    ['the distinctness of such maps', `WITH ${NESTED_MAP} AS m UNWIND [m, m] AS x RETURN DISTINCT x`],
    ['collected paths', 'MATCH p = (a)-[*30..]-(b) RETURN size(collect(p)) AS n'],
    [
      'split texts, at any of several places',
      `WITH ${LONG_TEXT} AS t RETURN size(split(t, ['b', 'a'])) AS n`,
    ],
    ['a text before each character of another', `WITH ${LONG_TEXT} AS t RETURN size(replace(t, '', t)) AS n`],
    ['nodes of a cross product', 'MATCH (a), (b), (c) CREATE (:New {n: 1})'],
    [
      'nodes of FOREACH in FOREACH',
      'FOREACH (i IN range(1, 9999) | FOREACH (j IN range(1, 9999) | CREATE (:New)))',
    ],
    ['keys of groups', 'UNWIND range(1, 9999) AS i UNWIND range(1, 9999) AS j RETURN i, j, count(*) AS n'],
    ['all trails that no selector may choose', 'MATCH SHORTEST 1 ((a)-[r*]-(b) WHERE size(r) < 0) RETURN a'],
    [
      'all trails that none of passes',
      'MATCH p = allShortestPaths((a)-[*]-(b)) WHERE none(n IN nodes(p) WHERE n.i >= 0) RETURN p',
    ],
  ])('ends at its memory: %s', async (_, text) => {
    expect(await run(text)).toBe('QUERY_TOO_LARGE');
  });

  it.each([
    ['a text that is too long for its pattern', `RETURN ${LONG_TEXT} =~ '(a?){1000}(a{1,30}){30}b' AS m`],
  ])('is refused: %s', async (_, text) => {
    expect(await run(text)).toBe('CYPHER_FAILED');
  });

  it.each([
    [
      'lists that are dropped with their rows',
      'UNWIND range(1, 2000) AS i WITH range(1, 1000) AS l WHERE l[0] < 0 RETURN l',
      0,
    ],
    [
      'texts that are dropped with their rows',
      `UNWIND range(1, 300) AS i WITH ${LONG_TEXT} AS t WHERE t = 'a' RETURN t`,
      0,
    ],
    [
      'what a value of CREATE was made of',
      'UNWIND range(1, 1000) AS i CREATE (:New {n: size(range(1, 1000))})',
      0,
    ],
    ['one list in many rows', 'WITH range(1, 3000) AS l UNWIND l AS x WITH l, x ORDER BY x RETURN x', 3_000],
    ['a text that is searched for in a long one', `WITH ${ALMOST} RETURN t CONTAINS s AS isIn`, 1],
    ['a long text that is split', `WITH ${ALMOST} UNWIND split(t, s) AS x RETURN size(x) > 0 AS x`, 1],
    ['a long text in which one is replaced', `WITH ${ALMOST} RETURN replace(t, s, '') = t AS same`, 1],
    [
      'the same list compared again and again',
      'WITH range(1, 1000) AS l UNWIND range(1, 10000) AS i WITH l WHERE l <> l RETURN l',
      0,
    ],
    [
      'integers at the end of their range',
      'UNWIND range(9223372036854775805, 9223372036854775807) AS x RETURN x',
      3,
    ],
  ])('does not count %s', async (_, text, rows) => {
    expect(await run(text)).toBe(`${String(rows)} rows`);
  });

  /** Each runs as long as it may. */
  const ENDLESS = [
    [
      'a search of patterns',
      `MATCH ${Array.from({ length: 16 }, (_, at) => `(n${String(at)})--`).join('')}(z) RETURN count(*)`,
    ],
    ['a cross product', 'MATCH (a), (b), (c), (d), (e), (f) RETURN count(*)'],
    [
      'a cross product in EXISTS',
      'MATCH (a) WHERE EXISTS { MATCH (b), (c), (d), (e) WHERE b.i + c.i + d.i + e.i < 0 } RETURN a',
    ],
    [
      'EXISTS as a part of a condition',
      'MATCH (a) WHERE a.i < 0 OR EXISTS { MATCH (b), (c), (d), (e) WHERE b.i + e.i < 0 } RETURN a',
    ],
    [
      'COUNT in CASE',
      'MATCH (a) RETURN CASE WHEN a.i >= 0 THEN COUNT { MATCH (b), (c), (d), (e) } ELSE 0 END AS n',
    ],
    ['COUNT as a key of an order', 'MATCH (a) RETURN a ORDER BY COUNT { MATCH (b), (c), (d), (e) }'],
    ['COUNT in an aggregate', 'MATCH (a) RETURN sum(COUNT { MATCH (b), (c), (d), (e) }) AS n'],
    ['a pattern as a condition', 'MATCH (a) WHERE (a)-[*30..60]-(:None) RETURN a'],
    ['a pattern comprehension', 'MATCH (a) RETURN size([(a)-[*]-(b) WHERE b.i < 0 | b]) AS n'],
    [
      'comprehensions in one another',
      // One list for all: made anew for each element, lists reach the memory first on a quick machine.
      'WITH range(1, 9999) AS l RETURN [x IN l WHERE any(y IN l WHERE all(z IN l WHERE x + y + z > 0))] AS l',
    ],
    [
      'reduce in reduce',
      'RETURN reduce(s = 0, x IN range(1, 99999) | s + reduce(t = 0, y IN range(1, 99999) | t + 1)) AS n',
    ],
    ['a list that grows', 'RETURN size(reduce(l = [], x IN range(1, 100000) | l[0..20000] + x)) AS n'],
    ['trails of any length', 'MATCH (a)-[*]-(b) RETURN count(*)'],
    [
      'many equal lists',
      `WITH reduce(l = [1], x IN range(1, 18) | [l, l]) AS l UNWIND range(1, 100000) AS i WITH l WHERE l <> l RETURN l`,
    ],
    ['a quantified path of a million turns', 'MATCH ((a)-->(b)){1,1000000} RETURN count(*)'],
    ['a path of a thousand million', 'MATCH (a)-[*1000000000..2000000000]->(b) RETURN count(*)'],
    ['new regular expressions', `UNWIND range(1, 100000) AS i RETURN count('a' =~ ('(\\\\pL{500})' + i))`],
    [
      'shortest paths between all',
      'UNWIND range(1, 100000) AS i MATCH p = shortestPath((a)-[*]-(b)) WHERE a <> b RETURN count(p)',
    ],
    [
      'a call for each row',
      'UNWIND range(1, 100000) AS i CALL { MATCH (a), (b), (c) RETURN count(*) AS n } RETURN sum(n)',
    ],
    ['COUNT in a value of SET', 'MATCH (a) SET a.n = COUNT { MATCH (b), (c), (d), (e) }'],
    ['COUNT in a map of SET', 'MATCH (a) SET a += {n: COUNT { MATCH (b), (c), (d), (e) }}'],
    ['COUNT in a name of SET', 'MATCH (a) SET a["x" + COUNT { MATCH (b), (c), (d), (e) }] = 1'],
    ['COUNT in a value of CREATE', 'CREATE (:New {n: COUNT { MATCH (b), (c), (d), (e) }})'],
    ['COUNT in a value of MERGE', 'MERGE (:New {n: COUNT { MATCH (b), (c), (d), (e) }})'],
    ['COUNT after ON CREATE', 'MERGE (a:New {n: 1}) ON CREATE SET a.m = COUNT { MATCH (b), (c), (d), (e) }'],
    ['COUNT in a pattern', 'MATCH (a:N {i: COUNT { MATCH (b), (c), (d), (e) }}) RETURN a'],
    ['COUNT before FOREACH', 'FOREACH (x IN [COUNT { MATCH (b), (c), (d), (e) }] | CREATE (:New {n: x}))'],
    ['COUNT in a target of DELETE', 'DELETE head([x IN [COUNT { MATCH (b), (c), (d), (e) }] | null])'],
    [
      'COUNT in an argument of CALL',
      'CALL db.awaitIndexes(COUNT { MATCH (b), (c), (d), (e) }) RETURN 1 AS one',
    ],
    [
      'IN over a long list',
      'WITH range(1, 100000) AS l UNWIND l AS x UNWIND l AS y WITH x, y, l WHERE -x IN l RETURN count(*)',
    ],
  ] as const;

  it.each(ENDLESS)('ends at its time: %s', async (_, text) => {
    expect(await run(text, 50)).toBe('QUERY_TIMEOUT');
  });

  it('ends at its time or at its memory, whichever the machine reaches first: selected paths', async () => {
    const text = 'UNWIND range(1, 100000) AS i MATCH p = SHORTEST 2 (a)-[*]-(b) RETURN count(p)';

    expect(await run(text, 50)).toMatch(/^QUERY_(?:TIMEOUT|TOO_LARGE)$/);
  });

  it.each(ENDLESS)('lets others run meanwhile: %s', async (_, text) => {
    const hangUp = { aborted: false };
    let hasEnded = false;
    const endless = run(text, 600_000, hangUp).finally(() => (hasEnded = true));
    for (let count = 0; count < 5; count++) expect(await run('MATCH (n) RETURN n LIMIT 3')).toBe('3 rows');

    expect(hasEnded).toBe(false);
    hangUp.aborted = true;
    expect(await endless).toBe('QUERY_TIMEOUT');
  });
});
