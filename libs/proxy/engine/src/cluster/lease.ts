import { assert } from '#platform/foundation';
import type { BreakerRejection } from '../source/snapshot.ts';
import type { Outcome } from './target/endpoint-counters.ts';
import type { Target } from './target/target.ts';

/** The end of an attempt. */
export interface AttemptEnd {
  readonly outcome: Outcome;
  /** Status of the upstream's response; 0 for none. */
  readonly statusCode: number;
}

/** The conditions for the next attempt of the same request. */
export interface NextAttempt {
  /** The balancer's key. */
  readonly key: string;
  /** Targets that have failed the request: others are chosen while there are any. */
  readonly tried: readonly Target[];
}

/** The issuer of a lease, which takes it back. */
export interface LeaseOwner {
  takeBack(lease: Lease, end: AttemptEnd): void;
  passOn(lease: Lease, end: AttemptEnd, next: NextAttempt): Lease | Refusal;
  /** The target of a lease has answered, or has accepted its connection. */
  noteAnswer(target: Target): void;
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
    this.#end().takeBack(this, { outcome, statusCode });
  }

  /** Releases it; its place goes to another attempt of the same request, before any that waits for one. */
  passOn(end: AttemptEnd, next: NextAttempt): Lease | Refusal {
    return this.#end().passOn(this, end, next);
  }

  /** The target has answered, or has accepted the connection. */
  answered(): void {
    const { isPassedOver, isOnTrial } = this.target;
    if (isPassedOver || isOnTrial) this.#owner?.noteAnswer(this.target);
  }

  #end(): LeaseOwner {
    const owner = this.#owner;
    assert(owner !== undefined, 'expected a lease to be released once');
    this.#owner = undefined;
    return owner;
  }
}

/** The reason why a request gets no place: it is answered with 503. */
export type Refusal =
  | { readonly kind: 'no_healthy_endpoint' }
  /** The limit and its maximum are shown in the header `x-plexus-overloaded`. */
  | { readonly kind: 'overloaded'; readonly limit: BreakerRejection; readonly max: number };

export const NO_HEALTHY_ENDPOINT: Refusal = Object.freeze({ kind: 'no_healthy_endpoint' });
