import { describe, expect, it } from '@jest/globals';
import { type PathQuestion, pathQuestionCypher, pathQuestionPql, verbsWithout } from './path-question.ts';

const QUESTION: PathQuestion = {
  from: 'a'.repeat(32),
  to: 'b'.repeat(32),
  direction: 'any',
  verbs: [],
  depth: undefined,
  isAll: false,
};
const ENDS = `FROM '${QUESTION.from}' TO '${QUESTION.to}'`;

describe('the question of the path form', () => {
  it.each([
    [{}, `FIND SHORTEST PATH ${ENDS}`],
    [{ direction: 'out' }, `FIND SHORTEST PATH ${ENDS} VIA RELATES TO >>`],
    [{ direction: 'in', verbs: ['USES'] }, `FIND SHORTEST PATH ${ENDS} VIA USES <<`],
    [{ verbs: ['USES', 'RUNS'], depth: 4 }, `FIND SHORTEST PATH ${ENDS} VIA (USES|RUNS) <> DEPTH 4`],
    [{ isAll: true }, `FIND ALL SHORTEST PATHS ${ENDS} LIMIT 200`],
  ] satisfies [Partial<PathQuestion>, string][])('%j is written %s', (parts, pql) => {
    expect(pathQuestionPql({ ...QUESTION, ...parts })).toBe(pql);
  });

  it('avoids classes between the ends, in Cypher', () => {
    const question: PathQuestion = { ...QUESTION, direction: 'out', verbs: ['USES', 'RUNS'], depth: 4 };

    expect(pathQuestionCypher(question, ['Host', 'My class'])).toBe(
      `MATCH p = shortestPath((a)-[:USES|RUNS*..4]->(b)) WHERE elementId(a) = '${QUESTION.from}' ` +
        `AND elementId(b) = '${QUESTION.to}' ` +
        'AND none(n IN nodes(p) WHERE n <> a AND n <> b AND (n:Host OR n:`My class`)) RETURN p LIMIT 1',
    );
  });

  it('follows all verbs but the avoided ones', () => {
    expect(verbsWithout(['A', 'B', 'C'], new Set(['B']))).toEqual(['A', 'C']);
    expect(verbsWithout(['A', 'B', 'C'], new Set())).toEqual([]);
  });
});
