/** Patterns beyond what the conformance kit asks. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { emptyGraph } from './statement/empty-graph.ts';
import { rowsOf } from './statement/run-statement.ts';

describe('WHERE inside a relationship of variable length', () => {
  const graph = emptyGraph();

  beforeAll(() => {
    const path = '(:N {i: 0})-[:R {w: 1}]->(:N {i: 1})-[:R {w: 2}]->(:N {i: 2})-[:R {w: 3}]->(:N {i: 3})';
    expect(rowsOf(`CREATE ${path}`, graph)).not.toEqual(expect.any(String));
  });

  it.each([
    ['MATCH ({i: 0})-[r:R* WHERE r.w < 3]->(n) RETURN n.i, size(r)', ['1 | 1', '2 | 2']],
    ['MATCH ({i: 0})-[r* WHERE r.w <> 2]->(n) RETURN n.i', ['1']],
    ['WITH 2 AS most MATCH ({i: 0})-[r*..5 WHERE r.w <= most]->(n) RETURN n.i', ['1', '2']],
    ['MATCH p = shortestPath((a {i: 0})-[r* WHERE r.w < 3]->(b {i: 3})) RETURN p', []],
    ['MATCH p = shortestPath((a {i: 0})-[r* WHERE r.w < 4]->(b {i: 3})) RETURN length(p)', ['3']],
    ['MATCH ({i: 0})-[* WHERE true]->(n) RETURN count(n)', ['3']],
  ])('%s', (text, rows) => {
    expect(rowsOf(text, graph)).toEqual(rows);
  });
});
