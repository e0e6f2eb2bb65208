import { describe, expect, it } from '@jest/globals';
import { type PathQuestion, pathQuestionPql, verbsWithout } from './path-question.ts';

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

  it('follows all verbs but the avoided ones', () => {
    expect(verbsWithout(['A', 'B', 'C'], new Set(['B']))).toEqual(['A', 'C']);
    expect(verbsWithout(['A', 'B', 'C'], new Set())).toEqual([]);
  });
});
