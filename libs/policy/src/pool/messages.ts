import type { RuleOutcome, RuleTask } from '../evaluation/outcome.ts';

/** To a thread: a snapshot to work on, as `share` gave it; a rule to evaluate on it; or let it go. */
export type Order =
  | { readonly kind: 'attach'; readonly shared: unknown }
  | { readonly kind: 'evaluate'; readonly task: RuleTask }
  | { readonly kind: 'release' };

/** From a thread, one for each `attach` and each `evaluate`. */
export type Answer =
  { readonly kind: 'attached' } | { readonly kind: 'outcome'; readonly outcome: RuleOutcome };
