import type { Thread } from '#platform/threads';
import type { RuleTask } from '../evaluation/outcome.ts';
import type { SentOutcome } from './sent-outcome.ts';

export interface Order {
  /** The thread's own number, from 0. */
  readonly thread: number;
  /** As `share` gave it. */
  readonly shared: unknown;
  readonly tasks: readonly RuleTask[];
  /** Numbers of all tasks, in the order in which they are to be taken. */
  readonly turns: Uint32Array;
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
  outcome(index: number, outcome: SentOutcome): void;
}

export type EvaluationWorker = Thread<EvaluationCalls, EvaluationEvents>;
