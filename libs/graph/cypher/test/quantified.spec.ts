/** Quantified path patterns and quantified relationships. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { emptyGraph } from './statement/empty-graph.ts';
import { rowsOf } from './statement/run-statement.ts';

/** A ring of four, with a way out: 0 → 1 → 2 → 3 → 0, 2 → 4. */
const RING = `CREATE (a:N:Start {i: 0})-[:R {w: 1}]->(b:N {i: 1})-[:R {w: 2}]->(c:N {i: 2})-[:R {w: 3}]->(d:N {i: 3}),
  (d)-[:R {w: 4}]->(a), (c)-[:S {w: 5}]->(:N:End {i: 4})`;

describe('a quantified path pattern', () => {
  const graph = emptyGraph();

  beforeAll(() => {
    expect(rowsOf(RING, graph)).not.toEqual(expect.any(String));
  });

  it.each([
    ['MATCH (x {i: 0}) ((a)-[r:R]->(b)){1,3} (y) RETURN y.i, size(r)', ['1 | 1', '2 | 2', '3 | 3']],
    [
      'MATCH (:Start) ((a)-[r]->(b)){2} RETURN [n IN a | n.i], [n IN b | n.i], [x IN r | x.w]',
      ['[0,1] | [1,2] | [1,2]'],
    ],
    ['MATCH (x:Start) ((a)-[r]->(b) WHERE a.i < b.i)+ (y:End) RETURN [n IN a | n.i]', ['[0,1,2]']],
    ['MATCH (x:Start) ((a)-[:R]->(b)-[s]->(c))* (y) RETURN y.i, size(a)', ['0 | 0', '2 | 1', '0 | 2']],
    [
      'MATCH p = (x {i: 3}) ((a)-[r]->(b)){,2} RETURN length(p), [n IN nodes(p) | n.i]',
      ['0 | [3]', '1 | [3,0]', '2 | [3,0,1]'],
    ],
    ['MATCH p = ((a)-[:R]->(b)){2} ((c)-[:S]->(d)){1} RETURN [n IN nodes(p) | n.i]', ['[0,1,2,4]']],
    ['MATCH (y:End) WITH y MATCH (x:Start) ((a)-[r]->(b)){1,9} (y) RETURN [n IN a | n.i]', ['[0,1,2]']],
    ['MATCH (y:End) MATCH ((a)-[r]->(b)){2} (y) RETURN [n IN a | n.i], [x IN r | x.w]', ['[1,2] | [2,5]']],
    ['MATCH (x:Start)-[q:R]->(z) ((a)-[r:R]->(b)){4} (y) RETURN y.i', []],
    ['MATCH (x:Start)-[q:R]->(z) ((a)-[r:R]->(b)){3} (y) RETURN y.i', ['0']],
    ['WITH 2 AS most MATCH (:Start) ((a)-[r]->(b) WHERE r.w <= most)+ (y) RETURN y.i', ['1', '2']],
    ['MATCH (x:Start) ((a)-[r]->(b)){1,2} (y) WHERE all(n IN b WHERE n.i > 1) RETURN y.i', []],
    ['MATCH (:Start) ((a:N WHERE a.i < 2)-[r {w: 1}]->(b))+ (y) RETURN y.i', ['1']],
    ['OPTIONAL MATCH (x:Start) ((a)-[r:S]->(b))+ (y) RETURN a, r, y', ['null | null | null']],
    ['MATCH (x:Start) RETURN size([(x) ((a)-[r]->(b)){1,2} (y) | y.i])', ['2']],
    ['MATCH (x:Start) WHERE (x) ((:N)-->(:N)){3} (:Start) OR (x)-->{3}(:End) RETURN x.i', ['0']],
    ['MATCH (x:Start) RETURN EXISTS { (x) ((a)-->(b)){2,3} (:End) } AS found', ['true']],
    ['MATCH (x {i: 1}) ((a)<-[r]-(b)){2} (y) RETURN y.i', ['3']],
    ['MATCH (:Start) ((a)-[r]->(b)-[s]->(a))+ RETURN a', []],
    ['MATCH (x) ((a)-[r:R]->(b))+ (x) RETURN count(*)', ['4']],
    ['MATCH (x:Start)-[r:R]->{1,2}(y) RETURN y.i, size(r)', ['1 | 1', '2 | 2']],
    ['MATCH (x:Start)-->+(y:End) RETURN count(*)', ['1']],
    ['MATCH (x:Start)-[:R]->*(y) RETURN count(*)', ['5']],
    ['MATCH (x:Start)-[r:R WHERE r.w < 3]->+(y) RETURN y.i', ['1', '2']],
    ['MATCH (x:Start)-[:!S]->{3}(y) RETURN y.i', ['3']],
    [
      'MATCH (x:Start) ((a)-[r]->(b) WHERE EXISTS { (b) ((c)-[s]->(d)){1,2} (:End) })+ (y) RETURN y.i',
      ['1', '2'],
    ],
    [
      'MATCH (x:Start) (()-[r]->(b) WHERE any(n IN [(b)-->{1,2}(z) | z] WHERE n:End))+ (y) RETURN y.i',
      ['1', '2'],
    ],
    ['MATCH (x:Start)-[r WHERE EXISTS { ({i: r.w})-->{1,2}(:End) }]->+(y) RETURN y.i', ['1', '2']],
  ])('%s', (text, expected) => {
    const rows = rowsOf(text, graph);

    expect(typeof rows === 'string' ? rows : rows.toSorted()).toEqual([...expected].sort());
  });

  it.each([
    ['MATCH ((a)){2} RETURN a', 'has relationships'],
    ['MATCH (x) ((a)-[:R]->+(b)){2} RETURN a', 'none of variable length'],
    ['MATCH (x) ((a)-->(b)) (y) RETURN a', 'a quantifier such as'],
    ['MATCH (x) ((a)-->(b)){3,2} (y) RETURN a', 'not below the lower one'],
    ['MATCH (x) ((a)-->(b)){0} (y) RETURN a', 'at least 1'],
    ['MATCH (x)-[*1..2]->{2}(y) RETURN x', 'one range'],
    ['MATCH (x) ((a)-->(b))+ (y)-->(a) RETURN a', '`a` is a List already'],
    ['MATCH (a) MATCH ((a)-->(b))+ RETURN b', '`a` is already defined'],
    ['MATCH ((a)-->(b))+ ((b)-->(c))+ RETURN c', '`b` is already defined'],
    ['CREATE (x) ((a)-[:R]->(b)){2} (y)', ''],
    ['MERGE (x)-[:R]->{2}(y)', ''],
  ])('is refused: %s', (text, expected) => {
    expect(rowsOf(text, graph)).toEqual(expect.stringContaining(expected));
  });
});
