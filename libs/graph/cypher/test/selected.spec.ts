/** Path selectors: which of the paths between two nodes a MATCH has. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { emptyGraph } from './statement/empty-graph.ts';
import { rowsOf } from './statement/run-statement.ts';

/** Two ways of two from a to d, one of three, and a loop; a bridge of S to e. */
const GRAPH = `CREATE (a:N:Start {i: 'a'}), (b:N {i: 'b'}), (c:N {i: 'c'}), (d:N:End {i: 'd'}), (e:End {i: 'e'}),
  (a)-[:R {w: 1}]->(b), (b)-[:R {w: 2}]->(d), (a)-[:R {w: 3}]->(c), (c)-[:R {w: 4}]->(d), (b)-[:R {w: 5}]->(c),
  (d)-[:R {w: 6}]->(a), (d)-[:S {w: 7}]->(e), (a)-[:T {w: 8}]->(d)`;

describe('a path selector', () => {
  const graph = emptyGraph();

  beforeAll(() => {
    expect(rowsOf(GRAPH, graph)).not.toEqual(expect.any(String));
  });

  it.each([
    ['MATCH p = SHORTEST 1 (a:Start)-[:R]->+(d {i: "d"}) RETURN length(p)', ['2']],
    ['MATCH p = SHORTEST 3 (a:Start)-[:R]->+(d {i: "d"}) RETURN length(p)', ['2', '2', '3']],
    ['MATCH p = SHORTEST 9 PATHS (a:Start)-[:R]->+(d {i: "d"}) RETURN length(p)', ['2', '2', '3', '5', '5']],
    [
      'MATCH p = ALL SHORTEST (a:Start)-[:R]->+(d {i: "d"}) RETURN [n IN nodes(p) | n.i]',
      [`['a','c','d']`, `['a','b','d']`],
    ],
    ['MATCH p = ALL SHORTEST PATHS (a:Start)-->+(d {i: "d"}) RETURN length(p)', ['1']],
    ['MATCH p = ANY SHORTEST PATH (a:Start)-[:R]->+(d {i: "d"}) RETURN length(p)', ['2']],
    ['MATCH p = ANY (a:Start)-[:R]->+(d {i: "d"}) RETURN count(p)', ['1']],
    ['MATCH p = ANY 2 PATHS (a:Start)-[:R]->+(d {i: "d"}) RETURN count(p)', ['2']],
    ['MATCH p = ALL (a:Start)-[:R]->{2}(d {i: "d"}) RETURN count(p)', ['2']],
    ['MATCH p = SHORTEST 2 GROUPS (a:Start)-[:R]->+(d {i: "d"}) RETURN length(p)', ['2', '2', '3']],
    ['MATCH p = SHORTEST GROUP (a:Start)-[:R]->+(d {i: "d"}) RETURN length(p)', ['2', '2']],
    ['MATCH SHORTEST 1 (a:Start)-[r:R]->+(e:End) RETURN e.i, size(r)', [`'d' | 2`]],
    ['MATCH SHORTEST 1 (a:Start)-[r]->+(e:End) RETURN e.i, size(r) ORDER BY e.i', [`'d' | 1`, `'e' | 2`]],
    [
      'MATCH p = SHORTEST 1 (a:Start)-[:R]->*(x) RETURN x.i, length(p) ORDER BY x.i',
      [`'a' | 0`, `'b' | 1`, `'c' | 1`, `'d' | 2`],
    ],
    ['MATCH p = SHORTEST 1 (a:Start)-[:R]->+(a) RETURN length(p)', ['3']],
    ['MATCH p = SHORTEST 1 (a:Start)-[:R]-+(a) RETURN length(p)', ['3']],
    ['MATCH p = SHORTEST 1 (a:Start)-[*2..4]-(x {i: "b"}) RETURN length(p)', ['2']],
    ['MATCH p = SHORTEST 1 (e {i: "e"})-[*]-(x:Start) RETURN [n IN nodes(p) | n.i]', [`['e','d','a']`]],
    [
      'MATCH p = SHORTEST 1 (x)-[:R]->+(e {i: "d"}) WHERE x.i = "b" RETURN [n IN nodes(p) | n.i]',
      [`['b','d']`],
    ],
    [
      'MATCH p = SHORTEST 1 (x)((s)-[r:R WHERE r.w > 2]->(t))+(e {i: "d"}) RETURN x.i, [n IN s | n.i], [n IN t | n.i] ORDER BY x.i',
      [
        `'a' | ['a','c'] | ['c','d']`,
        `'b' | ['b','c'] | ['c','d']`,
        `'c' | ['c'] | ['d']`,
        `'d' | ['d','a','c'] | ['a','c','d']`,
      ].map((row) => row),
    ],
    [
      'MATCH p = SHORTEST 1 (a:Start)-[:R]->(m {i: "b"})-[:R]->+(d:End) RETURN [n IN nodes(p) | n.i], m.i',
      [`['a','b','d'] | 'b'`],
    ],
    ['MATCH p = SHORTEST 1 (a:Start)-[f:R]->(m)-[:S]->(e) RETURN count(p)', ['0']],
    ['MATCH p = SHORTEST 1 (a:Start)-[f:R]->(m)-[g:R]->(n)-[h:S]->(e) RETURN h.w, m.i <> n.i', ['7 | true']],
    // A condition in the pattern is on what is chosen from, one behind it on what was chosen.
    ['MATCH p = SHORTEST 1 ((a:Start)-[:R]->+(d {i: "d"}) WHERE length(p) > 2) RETURN length(p)', ['3']],
    ['MATCH p = SHORTEST 1 ((a:Start)-[r:R]->+(d {i: "d"}) WHERE size(r) > 2) RETURN length(p)', ['3']],
    ['MATCH p = SHORTEST 1 (a:Start)-[r:R]->+(d {i: "d"}) WHERE size(r) > 2 RETURN length(p)', []],
    [
      'MATCH p = SHORTEST 1 (a:Start)-[:R]->+(m WHERE m.i <> "b")-[:R]->(d {i: "d"}) RETURN [n IN nodes(p) | n.i]',
      [`['a','c','d']`],
    ],
    [
      'MATCH p = SHORTEST 1 (a:Start)-[:R]->(m)-[:R]->+(d WHERE d.i > m.i AND d.i = "d") RETURN m.i IN ["b", "c"]',
      ['true'],
    ],
    ['MATCH p = SHORTEST 1 (a:Start)-[:R]->(m)-[:R]->+(d {i: "d", j: m.i}) RETURN m', []],
    [
      'MATCH (d:End) MATCH p = SHORTEST 1 (:Start)-->+(d) RETURN d.i, length(p) ORDER BY d.i',
      [`'d' | 1`, `'e' | 2`],
    ],
    ['MATCH (a:Start), (d {i: "e"}) OPTIONAL MATCH p = SHORTEST 1 (d)-[:R]->+(a) RETURN p', ['null']],
    ['OPTIONAL MATCH (x:None) MATCH p = SHORTEST 1 (x)-->+(y) RETURN p', []],
    ['MATCH (a:Start) RETURN EXISTS { SHORTEST 1 (a)-[:R]->+(:End) } AS is', ['true']],
    ['MATCH (a:Start) RETURN COUNT { MATCH ALL SHORTEST (a)-[:R]->+(d {i: "d"}) } AS c', ['2']],
    ['MATCH SHORTEST 1 (a:Start)-[:R]-(b)-[:R]-(a) RETURN b', []],
    [
      'MATCH p = SHORTEST 1 (:Start)((x)-[:R]->(y)-[:R]->(z))+(d) RETURN d.i, length(p), [n IN y | n.i] IN [["b"], ["c"]] ORDER BY d.i',
      [`'a' | 4 | false`, `'b' | 4 | false`, `'c' | 2 | true`, `'d' | 2 | true`],
    ],
    ['MATCH any = (a:Start)-[:T]->(d) RETURN length(any)', ['1']],
    ['MATCH p = SHORTEST 1 (a:Start) RETURN length(p)', ['0']],
    ['MATCH p = SHORTEST 1 (a:Start)-[:R]->+(b:N) WITH a, b, p ORDER BY b.i RETURN *', expect.any(Array)],
  ])('%s', (text, expected) => {
    const rows = rowsOf(text, graph);

    if (typeof expected === 'string') expect(rows).toEqual(expect.stringContaining(expected));
    else expect(rows).toEqual(expected);
  });

  it.each([
    ['MATCH SHORTEST 0 (a)-->(b) RETURN a', 'at least one path (line 1, column 16)'],
    ['MATCH SHORTEST -1 (a)-->(b) RETURN a', 'not negative'],
    ['MATCH SHORTEST (a)-->(b) RETURN a', 'a number of paths after SHORTEST, found `(`'],
    [
      'MATCH SHORTEST 1 (a)-->(b), (c) RETURN a',
      'a MATCH with a path selector has one pattern (line 1, column 7)',
    ],
    ['MATCH SHORTEST 1 shortestPath((a)-[*]->(b)) RETURN a', 'found'],
    ['CREATE SHORTEST 1 (a)-[:R]->(b)', 'found'],
    ['MATCH SHORTEST 1 (a)-[r:R]->+(b)-[r]->(c) RETURN a', 'cannot stand in two places'],
    ['MATCH ANY SHORTEST 99999999999999999999 (a)-->(b) RETURN a', 'found `99'],
  ])('is refused: %s', (text, expected) => {
    expect(rowsOf(text, graph)).toEqual(expect.stringContaining(expected));
  });
});
