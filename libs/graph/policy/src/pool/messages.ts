import type { Thread } from '#platform/threads';
import type { RuleTask } from '../evaluation/outcome.ts';
import type { SentOutcome } from './sent-outcome.ts';

export interface Order {
  /** The thread's number, from 0. */
  readonly thread: number;
  /** The result of `share`. */
  readonly shared: unknown;
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
