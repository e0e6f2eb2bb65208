import { assert } from '#platform/foundation';
import type { BreakerRejection } from '../source/snapshot.ts';
import type { Outcome } from './target/endpoint-counters.ts';
import type { Target } from './target/target.ts';

/** The issuer of a lease, which takes it back. */
export interface LeaseOwner {
  takeBack(lease: Lease, outcome: Outcome, statusCode: number): void;
}

/**
 * The place of a request, or of a TCP connection, on a target. Hot path: one for each request. It counts as
 * active until it is released, exactly once.
 */
export class Lease {
  readonly kind = 'lease';
  readonly target: Target;
  /** The address of the requesting client; undefined for a TCP connection. */
  readonly client: string | undefined;
  /** Time of the monotonic clock. */
  readonly startedMs: number;
  #owner: LeaseOwner | undefined;

  constructor(owner: LeaseOwner, target: Target, client: string | undefined, startedMs: number) {
    this.#owner = owner;
    this.target = target;
    this.client = client;
    this.startedMs = startedMs;
  }

  get isRequest(): boolean {
    return this.client !== undefined;
  }

  /** `statusCode` is that of the upstream's response; 0 for none. */
  release(outcome: Outcome, statusCode = 0): void {
    const owner = this.#owner;
    assert(owner !== undefined, 'expected a lease to be released once');
    this.#owner = undefined;
    owner.takeBack(this, outcome, statusCode);
  }
}

/** The reason why a request gets no place: it is answered with 503. */
export type Refusal =
  | { readonly kind: 'no_healthy_endpoint' }
  /** For the header `x-plexus-overloaded`. */
  | { readonly kind: 'overloaded'; readonly limit: BreakerRejection; readonly max: number };

export const NO_HEALTHY_ENDPOINT: Refusal = Object.freeze({ kind: 'no_healthy_endpoint' });
