/**
 * Targets that have just failed a request are passed over for a moment, while there are others: also without
 * health checks, a broken target costs one request a trial, and not its share of all requests.
 *
 *     failed -> passed over -> on trial -> chosen by the next request, passed over meanwhile
 *                    ^                        |                |
 *                    +------- failed ---------+            has answered -> in turn again
 */
import type { CallOff, Timers } from './target/cluster-context.ts';
import type { Target } from './target/target.ts';

const PAUSE_MS = 1_000;

export class PassedOver {
  readonly #timers: Timers;
  readonly #ends = new Map<Target, CallOff>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** The target has just failed a request. */
  add(target: Target): void {
    if (!target.isRetired) this.#passOver(target, PAUSE_MS);
  }

  /** A request has chosen the target on trial: the next trial begins after this one could have connected. */
  tryOut(target: Target, connectTimeoutMs: number): void {
    this.#passOver(target, PAUSE_MS + connectTimeoutMs);
  }

  /** The target has answered, or is removed. */
  remove(target: Target): void {
    this.#ends.get(target)?.();
    this.#ends.delete(target);
    target.isPassedOver = false;
    target.isOnTrial = false;
  }

  #passOver(target: Target, ms: number): void {
    this.#ends.get(target)?.();
    target.isPassedOver = true;
    target.isOnTrial = false;
    const end = this.#timers.after(ms, () => {
      this.#ends.delete(target);
      target.isPassedOver = false;
      target.isOnTrial = true;
    });
    this.#ends.set(target, end);
  }
}
