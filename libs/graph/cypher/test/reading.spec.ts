/** Named cases of reading: each a kind of query whose rows were wrong once. */
import { describe, expect, it } from '@jest/globals';
import { emptyGraph } from './statement/empty-graph.ts';
import { rowsOf, valueOf } from './statement/run-statement.ts';

function rowsOver(creation: string, text: string): readonly string[] | string {
  const graph = emptyGraph();
  rowsOf(creation, graph);
  return rowsOf(text, graph);
}

describe('a variable that hides another in an expression', () => {
  it.each([
    ['WITH a.x AS y WHERE any(a IN [{x: 2}] WHERE a.x = 2) RETURN y ORDER BY y', ['1', '2']],
    ['WITH a.x AS y ORDER BY reduce(s = 0, a IN [{x: -1}] | a.x), y DESC RETURN y', ['2', '1']],
    ['WITH a.x AS y WHERE [a IN [{x: 7}] | a.x] = [7] RETURN count(y)', ['2']],
    [
      'WITH a.x AS y WHERE EXISTS { UNWIND [1] AS i WITH {x: 7} AS a WHERE a.x = 7 RETURN a } RETURN count(y)',
      ['2'],
    ],
  ])('is not taken for a column: %s', (text, expected) => {
    expect(rowsOver('CREATE ({x: 1}), ({x: 2})', `MATCH (a) ${text}`)).toEqual(expected);
  });
});

describe('a sign before a value', () => {
  it.each([
    ['+(-1)', '-1'],
    ['+1.5', 'f1.5'],
    ['+null', 'null'],
    [`+'a'`, 'expected a number after +, got String'],
    ['+[1]', 'expected a number after +, got List'],
  ])('%s is %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected);
  });
});

describe('a pattern with a variable that holds null', () => {
  it.each([
    ['MATCH (n) RETURN count(*)', ['0']],
    ['MATCH (n), (m) RETURN count(*)', ['0']],
    ['OPTIONAL MATCH p = (n) RETURN p', ['null']],
    ['RETURN EXISTS { (n) } AS found', ['false']],
  ])('has no match: %s', (text, expected) => {
    expect(rowsOver('CREATE (:A)', `OPTIONAL MATCH (n:None) ${text}`)).toEqual(expected);
  });
});

describe('a shortest path with conditions', () => {
  const GRAPH = `CREATE (a:A)-[:R]->(b:B), (a)-[:S {n: 1}]->(c:C)-[:R]->(b), (a)-[:S {n: 2}]->(c),
    (c)-[:S]->(:D)-[:S]->(b)`;

  it.each([
    ['shortestPath((a:A)-[*]->(b:B)) WHERE length(p) > 1', ['2']],
    ['allShortestPaths((a:A)-[*]->(b:B)) WHERE length(p) > 1', ['2', '2']],
    ["allShortestPaths((a:A)-[*]->(b:B)) WHERE none(r IN relationships(p) WHERE type(r) = 'R')", ['3', '3']],
    ['allShortestPaths((a:A)-[r*]->(b:B)) WHERE r[0].n = 2', ['2']],
    ['shortestPath((a:A)-[*..2]->(b:B)) WHERE length(p) > 2', []],
    ['shortestPath((b:B)-[*]->(a:A)) WHERE length(p) > 0', []],
  ])('is the shortest of those that pass: %s', (pattern, expected) => {
    expect(rowsOver(GRAPH, `MATCH p = ${pattern} RETURN length(p)`)).toEqual(expected);
  });
});
