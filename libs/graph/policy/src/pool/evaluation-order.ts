import type { GraphReader } from '#graph/execution';
import type { Scope } from '#graph/model';
import type { QueryEngine } from '#graph/query';
import type { Parent, Thread } from '#platform/threads';
import { evaluateRule } from '../evaluation/evaluate-rule.ts';
import type { RuleTask } from '../evaluation/outcome.ts';
import { sentOutcome, type SentOutcome } from './sent-outcome.ts';
import { TaskClaims } from './task-claims.ts';

export interface Order {
  /** The thread's number, from 0. */
  readonly thread: number;
  /** The result of `share`. */
  readonly shared: unknown;
  /** The part of the snapshot on which the rules are evaluated; undefined: all. */
  readonly scope: Scope | undefined;
  readonly tasks: readonly RuleTask[];
  /** Numbers of all tasks, in the order of execution. */
  readonly turns: Uint32Array;
  /** The buffer of the round's {@link TaskClaims}. */
  readonly claims: SharedArrayBuffer;
}

export interface EvaluationCalls {
  /** Evaluates unclaimed rules on this snapshot until none is left, then releases it. */
  evaluate(order: Order): void;
}

export interface EvaluationEvents {
  /** The snapshot is readable. Sent once per order, before all outcomes. */
  attached(): void;
  /** The outcome of a task claimed by the thread. */
  outcome(index: number, outcome: SentOutcome): void;
}

export type EvaluationWorker = Thread<EvaluationCalls, EvaluationEvents>;

/** State of an evaluation thread shared by all its orders. */
export interface EvaluationTools {
  /** Caches the queries of the rules between orders. */
  readonly engine: QueryEngine;
  /** Creates a reader of a shared snapshot. */
  readonly attach: (shared: unknown, scope: Scope | undefined) => GraphReader;
  readonly parent: Parent<EvaluationEvents>;
}

/** Executes an order in a thread of an `EvaluationPool`. */
export function evaluateOrder(
  { thread, shared, scope, tasks, turns, claims: buffer }: Order,
  { engine, attach, parent }: EvaluationTools,
): void {
  const reader = attach(shared, scope);
  parent.emit('attached', []);
  const claims = new TaskClaims(buffer);
  for (let turn = claims.claim(thread); turn !== undefined; turn = claims.claim(thread)) {
    const index = turns[turn] ?? turn;
    const task = tasks[index];
    if (task !== undefined) parent.emit('outcome', [index, sentOutcome(evaluateRule(engine, reader, task))]);
  }
}
