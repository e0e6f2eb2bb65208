import type { RuleOutcome, RuleTask } from '../evaluation/outcome.ts';

/** To a thread: evaluate on this snapshot whatever rules are left to take, then let go of it. */
export interface Order {
  /** The thread's own number, from 0. */
  readonly thread: number;
  /** As `share` gave it. */
  readonly shared: unknown;
  readonly tasks: readonly RuleTask[];
  /** Of the round's {@link TaskClaims}. */
  readonly claims: SharedArrayBuffer;
}

/** From a thread: one `attached`, an `outcome` for each task that it took, one `done`. */
export type Answer =
  | { readonly kind: 'attached' }
  | { readonly kind: 'outcome'; readonly index: number; readonly outcome: RuleOutcome }
  | { readonly kind: 'done' };
