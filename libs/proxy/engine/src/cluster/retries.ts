/**
 * Limits retries by two rules at once: `max_retries` at the same time, and a budget over time, so that a
 * failing cluster does not get twice the requests of a healthy one. Within the last five to ten seconds
 * `budget_percent` retries are allowed for each hundred requests, and at least ten, so that low traffic is
 * retried too. A request that could not connect was not sent: it goes on to another target without
 * them.
 */
import { assert } from '#platform/foundation';
import type { RetryConfig } from '../config/proxy-config.ts';
import type { RetrySnapshot } from '../source/snapshot.ts';
import type { AttemptEnd } from './lease.ts';

const SLOT_MS = 5_000;
const RETRIES_IN_ANY_CASE = 10;

/** A retry in progress. */
export class RetryPermit {
  #onEnd: (() => void) | undefined;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /** Call it when the retried request has ended, exactly once. */
  release(): void {
    const onEnd = this.#onEnd;
    assert(onEnd !== undefined, 'expected a retry permit to be released once');
    this.#onEnd = undefined;
    onEnd();
  }
}

export class Retries {
  #active = 0;
  #made = 0;
  #overLimit = 0;
  #overBudget = 0;
  #slot = 0;
  #current = { requests: 0, retries: 0 };
  #previous = { requests: 0, retries: 0 };

  noteRequest(nowMs: number): void {
    this.#turn(nowMs);
    this.#current.requests += 1;
  }

  /** A request that could not connect goes on to another target: made, but under no limit. */
  noteFailOver(): void {
    this.#made += 1;
  }

  take(maxActive: number, budgetPercent: number, nowMs: number): RetryPermit | undefined {
    this.#turn(nowMs);
    if (this.#active >= maxActive) {
      this.#overLimit += 1;
      return undefined;
    }
    const requests = this.#current.requests + this.#previous.requests;
    const retries = this.#current.retries + this.#previous.retries;
    if (retries >= Math.max(RETRIES_IN_ANY_CASE, (requests * budgetPercent) / 100)) {
      this.#overBudget += 1;
      return undefined;
    }
    this.#current.retries += 1;
    this.#made += 1;
    this.#active += 1;
    return new RetryPermit(() => (this.#active -= 1));
  }

  snapshot(limit: number): RetrySnapshot {
    return {
      active: this.#active,
      limit,
      made: this.#made,
      overLimit: this.#overLimit,
      overBudget: this.#overBudget,
    };
  }

  #turn(nowMs: number): void {
    const slot = Math.floor(nowMs / SLOT_MS);
    if (slot === this.#slot) return;
    this.#previous = slot === this.#slot + 1 ? this.#current : { requests: 0, retries: 0 };
    this.#current = { requests: 0, retries: 0 };
    this.#slot = slot;
  }
}

/** Idempotent methods (RFC 9110, 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

export function isIdempotent(method: string): boolean {
  return IDEMPOTENT.has(method);
}

/** Whether the configuration allows a retry of a request that was sent, after this end of its attempt. */
export function wantsRetry(
  config: RetryConfig | undefined,
  { outcome, statusCode }: AttemptEnd,
  method: string,
): boolean {
  if (config === undefined || (config.methods !== 'all' && !isIdempotent(method))) return false;
  return outcome === 'reset' ? config.on.resetBeforeHeaders : config.on.statusCodes.includes(statusCode);
}
