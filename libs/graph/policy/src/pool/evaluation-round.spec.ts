import { describe, expect, it } from '@jest/globals';
import { failedOutcome } from '../evaluation/evaluate-rule.ts';
import { parseRule } from '../rule/parse-rules.ts';
import { jsonSource } from '../rule/rule-source.ts';
import { EvaluationRound } from './evaluation-round.ts';
import { TaskClaims } from './task-claims.ts';

function roundOf(lastMs: Readonly<Record<string, number>>): EvaluationRound {
  const tasks = ['a', 'b', 'c', 'd'].map((id) => {
    const rule = parseRule(jsonSource({ id, query: 'FIND host' }));
    return { rule, params: {}, violationsMax: 10, timeoutMs: 1_000, nowMs: 0 };
  });
  return new EvaluationRound(tasks, undefined, new Map(Object.entries(lastMs)));
}

describe('a round of evaluations', () => {
  it('orders rules without a previous run first, then by descending duration', () => {
    const { turns } = roundOf({ a: 1, b: 7, d: 3 }).orderFor(0);

    expect(Array.from(turns)).toEqual([2, 1, 3, 0]);
  });

  it('fails the task claimed by a thread that has ended, in any turn', () => {
    const round = roundOf({ a: 1, b: 7, c: 5, d: 3 });
    const { claims } = round.orderFor(0);
    new TaskClaims(claims).claim(0);
    round.note(0, failedOutcome('another', 0));

    round.abandon(0, 'it ended', 1);

    expect(round.outcomes.map(({ error }) => error)).toEqual([
      'another',
      'stopped: it ended',
      'stopped before its evaluation',
      'stopped before its evaluation',
    ]);
  });
});
