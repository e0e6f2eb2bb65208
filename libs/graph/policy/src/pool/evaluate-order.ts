import type { GraphReader, QueryEngine } from '#graph/query';
import type { Parent } from '#platform/threads';
import { evaluateRule } from '../evaluation/evaluate-rule.ts';
import type { EvaluationEvents, Order } from './messages.ts';
import { sentOutcome } from './sent-outcome.ts';
import { TaskClaims } from './task-claims.ts';

/** State of an evaluation thread shared by all its orders. */
export interface EvaluationTools {
  /** Caches the queries of the rules between orders. */
  readonly engine: QueryEngine;
  /** Creates a reader of a shared snapshot. */
  readonly attach: (shared: unknown) => GraphReader;
  readonly parent: Parent<EvaluationEvents>;
}

/** Executes an order in a thread of an `EvaluationPool`. */
export function evaluateOrder(
  { thread, shared, tasks, turns, claims: buffer }: Order,
  { engine, attach, parent }: EvaluationTools,
): void {
  const reader = attach(shared);
  parent.tell('attached', []);
  const claims = new TaskClaims(buffer);
  for (let turn = claims.claim(thread); turn !== undefined; turn = claims.claim(thread)) {
    const index = turns[turn] ?? turn;
    const task = tasks[index];
    if (task !== undefined) parent.tell('outcome', [index, sentOutcome(evaluateRule(engine, reader, task))]);
  }
}
