import { describe, expect, it } from '@jest/globals';
import { FIXTURE, NaiveReader } from '#graph/testing';
import { parseRule } from '../rule/parse-rules.ts';
import { createRuleEngine } from '../rule/rule-query.ts';
import { jsonSource } from '../rule/rule-source.ts';
import { evaluateOrder, type Order } from './evaluation-order.ts';
import { TaskClaims } from './task-claims.ts';

describe('an evaluation thread', () => {
  it('reports the attached snapshot, and the outcome of each task that it claimed', () => {
    const told: (readonly unknown[])[] = [];
    const parent = { emit: (name: string, [index]: readonly unknown[]) => told.push([name, index]) };
    const rule = parseRule(jsonSource({ id: 'r', query: 'FIND host' }));
    const task = { rule, params: {}, violationsMax: 10, timeoutMs: 60_000, nowMs: 0 };
    const claims = TaskClaims.of(3);
    claims.claim(1);
    const turns = Uint32Array.of(0, 2, 1);
    const { buffer } = claims;
    const given = { shared: undefined, scope: undefined, tasks: [task, task, task] };
    const order: Order = { thread: 0, ...given, turns, claims: buffer };

    evaluateOrder(order, { engine: createRuleEngine(), attach: () => new NaiveReader(FIXTURE), parent });

    expect(told).toEqual([
      ['attached', undefined],
      ['outcome', 2],
      ['outcome', 1],
    ]);
    expect(claims.claimedBy(0)).toEqual([1, 2]);
  });
});
