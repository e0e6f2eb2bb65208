/** Labels, types and names of properties that expressions give, and the end of a query without a result. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Value } from '../src/value/value.ts';
import { emptyGraph } from './statement/empty-graph.ts';
import { rowsOf } from './statement/run-statement.ts';

const PARAMETERS = new Map<string, Value>([
  ['label', 'A'],
  ['labels', ['A', 'B']],
  ['types', ['R', 'S']],
  ['all', 'kept'],
]);

describe('a dynamic name', () => {
  let graph: ReturnType<typeof emptyGraph>;
  const run = (text: string) => rowsOf(text, graph, PARAMETERS);

  beforeEach(() => {
    graph = emptyGraph();
    run('CREATE (a:A {i: 1})-[:R {w: 1}]->(b:A:B {i: 2})-[:S {w: 2}]->(c:B {i: 3})-[:T {w: 3}]->(a)');
  });

  it.each([
    ['MATCH (n:$($label)) RETURN n.i ORDER BY n.i', ['1', '2']],
    ['MATCH (n:$($labels)) RETURN n.i', ['2']],
    ['MATCH (n:$all($labels)) RETURN n.i', ['2']],
    ['MATCH (n:$any($labels)) RETURN n.i ORDER BY n.i', ['1', '2', '3']],
    ['MATCH (n:$any([])) RETURN n.i', []],
    ['MATCH (n:$all([])) RETURN count(n)', ['3']],
    ['MATCH (n:A&!$($all + "x")) RETURN count(n)', ['2']],
    [`WITH 'B' AS l MATCH (n:$(l)&!A) RETURN n.i`, ['3']],
    [`MATCH (n) WHERE n:$('A')|$('C') RETURN count(n)`, ['2']],
    ['MATCH (n:$($all)) RETURN $all, count(n)', []],
    ['MATCH ()-[r:$any($types)]->() RETURN r.w ORDER BY r.w', ['1', '2']],
    ['MATCH (:A {i: 1})-[r:$any($types)*1..3]->(x) RETURN x.i ORDER BY x.i', ['2', '3']],
    ['MATCH (:A {i: 1})-[:$any($types)]->{1,3}(x) RETURN x.i ORDER BY x.i', ['2', '3']],
    ['MATCH (a {i: 1}) MATCH (n:$(labels(a))) RETURN n.i ORDER BY n.i', ['1', '2']],
    ['MATCH (a {i: 1}), (n:$(labels(a))) RETURN n.i ORDER BY n.i', ['1', '2']],
    [
      'MATCH (n) RETURN n:$(CASE WHEN n.i = 1 THEN "A" ELSE "B" END) AS is ORDER BY n.i',
      ['true', 'true', 'true'],
    ],
    ['RETURN EXISTS { (:$($label))-[:$("S")]->(:B) } AS is', ['true']],
    [
      'MATCH (n:A) WITH collect(n) AS all, count(*) AS c RETURN [n IN all WHERE n:$($labels) | n.i] AS i',
      ['[2]'],
    ],
    ['CREATE (n:$($labels):C {i: 9}) RETURN labels(n)', [`['A','B','C']`]],
    ['CREATE (n:$($labels[0])&$("D")) RETURN labels(n)', [`['A','D']`]],
    ['MATCH (a:A {i: 1}), (c:B {i: 3}) CREATE (a)-[r:$($types[1])]->(c) RETURN type(r)', [`'S'`]],
    ['MERGE (n:$("New") {i: 7}) MERGE (m:$("New") {i: 7}) RETURN n = m, labels(n)', [`true | ['New']`]],
    [
      'MATCH (a:A {i: 1}), (c:B {i: 3}) MERGE (a)-[r:$("U")]->(c) MERGE (a)-[s:$("U")]->(c) RETURN r = s',
      ['true'],
    ],
    ['MATCH (n:B {i: 3}) SET n:$($labels):X REMOVE n:$("B") RETURN labels(n)', [`['A','X']`]],
    ['MATCH (n {i: 1}) SET n[$all] = 1, n["i"] = n["i"] + 1 RETURN properties(n)', ['{i:2,kept:1}']],
    ['MATCH (n {i: 1}) SET n["x" + n.i] = [y IN range(1, 2) | y] RETURN n.x1', ['[1,2]']],
    ['MATCH (n {i: 1}) REMOVE n["i"] RETURN n.i', ['null']],
    ['MATCH (n {i: 1}) FOREACH (k IN ["a", "b"] | SET n[k] = k) RETURN n.a + n.b', [`'ab'`]],
    ['MATCH ()-[r:R]->() SET r["w"] = null RETURN keys(r)', ['[]']],
    ['OPTIONAL MATCH (n:Nothing) SET n["a"] = 1 RETURN n', ['null']],
  ])('%s', (text, expected) => {
    expect(run(text)).toEqual(expected);
  });

  it.each([
    ['MATCH (n:$(1)) RETURN n', 'expected a String, or a List of them, in $(…), got Integer'],
    ['MATCH (n:$(null)) RETURN n', 'expected a String, or a List of them, in $(…), got Null'],
    ['CREATE (n:$any(["A"]))', '$any(…) does not say which label: write $(…) (line 1, column 11)'],
    ['CREATE ()-[:$(["R", "S"])]->()', 'expected exactly one type in $(…), got 2'],
    ['CREATE ()-[:$([])]->()', 'expected exactly one type in $(…), got 0'],
    ['CREATE (n:$(""))', expect.stringContaining('label')],
    ['MATCH (n:$(m)) RETURN n', 'the variable `m` is not defined (line 1, column 12)'],
    ['MATCH (n:$()) RETURN n', 'expected an expression, found `)` (line 1, column 12)'],
    ['MATCH (n:$("A") RETURN n', expect.stringContaining('`)` at the end of the node')],
    ['MATCH (n:$ ("A")) RETURN count(n)', ['2']],
    ['MATCH (n) SET n[1] = 2', 'expected a String in […], got Integer'],
    ['MATCH (n) SET n[] = 2', 'expected an expression, found `]` (line 1, column 17)'],
    ['WITH {a: 1} AS m SET m["a"] = 2', expect.stringContaining('expected a Node or a Relationship')],
  ])('%s is refused, or says why', (text, expected) => {
    expect(run(text)).toEqual(expected);
  });
});

describe('FINISH', () => {
  it.each([
    ['MATCH (n) FINISH', []],
    ['CREATE (n:A) FINISH', []],
    ['UNWIND [1, 2] AS x CALL (x) { CREATE (:A {x: x}) FINISH } RETURN x', ['1', '2']],
    ['MATCH (n) FINISH UNION MATCH (n) FINISH', []],
    ['WITH 1 AS finish RETURN finish', ['1']],
    ['MATCH (n) FINISH RETURN n', 'nothing follows FINISH but UNION (line 1, column 18)'],
    ['RETURN 1 AS x FINISH', 'nothing follows RETURN but UNION (line 1, column 15)'],
    ['RETURN 1 AS x UNION MATCH (n) FINISH', expect.stringContaining('all parts of a UNION')],
    [
      'RETURN COUNT { MATCH (n) FINISH } AS c',
      'FINISH leaves no rows: it cannot end a query inside an expression (line 1, column 26)',
    ],
  ])('%s', (text, expected) => {
    expect(rowsOf(text)).toEqual(expected);
  });
});
