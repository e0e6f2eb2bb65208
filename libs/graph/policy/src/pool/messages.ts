import type { Thread } from '#platform/threads';
import type { RuleOutcome, RuleTask } from '../evaluation/outcome.ts';

export interface Order {
  /** The thread's own number, from 0. */
  readonly thread: number;
  /** As `share` gave it. */
  readonly shared: unknown;
  readonly tasks: readonly RuleTask[];
  /** Of the round's {@link TaskClaims}. */
  readonly claims: SharedArrayBuffer;
}

export interface EvaluationCalls {
  /** Evaluates on this snapshot whatever rules are left to take, then lets go of it. */
  evaluate(order: Order): void;
}

export interface EvaluationEvents {
  /** The snapshot can be read. Once for an order, before all outcomes. */
  attached(): void;
  /** Of a task that the thread took. */
  outcome(index: number, outcome: RuleOutcome): void;
}

export type EvaluationWorker = Thread<EvaluationCalls, EvaluationEvents>;
