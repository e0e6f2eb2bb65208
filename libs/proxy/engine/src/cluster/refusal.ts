import type { BreakerRejection } from '../source/snapshot.ts';

/** Why there is no place for a request: answered with 503. */
export type Refusal =
  | { readonly kind: 'no_healthy_endpoint' }
  /** For the header `x-plexus-overloaded`. */
  | { readonly kind: 'overloaded'; readonly limit: BreakerRejection; readonly max: number };

export const NO_HEALTHY_ENDPOINT: Refusal = Object.freeze({ kind: 'no_healthy_endpoint' });
