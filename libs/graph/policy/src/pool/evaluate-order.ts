import type { GraphReader } from '#graph/query';
import type { Parent } from '#platform/threads';
import { evaluateRule } from '../evaluation/evaluate-rule.ts';
import { createRuleEngine } from '../rule/rule-query.ts';
import type { EvaluationEvents, Order } from './messages.ts';
import { TaskClaims } from './task-claims.ts';

/** What a thread of an `EvaluationPool` does; `attach` makes a reader of a shared snapshot. */
export function evaluateOrder(
  { thread, shared, tasks, claims: buffer }: Order,
  attach: (shared: unknown) => GraphReader,
  parent: Parent<EvaluationEvents>,
): void {
  const reader = attach(shared);
  const engine = createRuleEngine();
  parent.tell('attached', []);
  const claims = new TaskClaims(buffer);
  for (let index = claims.claim(thread); index !== undefined; index = claims.claim(thread)) {
    const task = tasks[index];
    if (task !== undefined) parent.tell('outcome', [index, evaluateRule(engine, reader, task)]);
  }
}
