/**
 * Whether one more client can be taken. Hot path: it is asked once for each connection.
 *
 * Some file descriptors are kept back, for connections to endpoints, checks and the admin server: a process
 * that has given all of them to clients can serve none of these, and would take its endpoints for dead. The
 * system closes what it cannot accept without a word; what is refused here is counted.
 *
 * How many are open is looked at when half of what was free then may have been used up, and once in a while.
 */
import { countDescriptors, type Descriptors } from '#platform/disk';
import { type Clock, systemClock } from '#platform/foundation';

export interface DescriptorBudgetOptions {
  readonly look?: () => Descriptors | undefined;
  readonly clock?: Clock;
}

/** Kept back: this share of all, but for the smallest and the largest limits. */
const KEPT_SHARE = 0.1;
const KEPT_MIN = 8;
const KEPT_MAX = 256;
const LOOK_EVERY_MS = 1_000;
/** The same when there are none left: they may be given back at any time. */
const LOOK_AGAIN_MS = 10;

export class DescriptorBudget {
  readonly #look: () => Descriptors | undefined;
  readonly #clock: Clock;
  #left = 0;
  #lookAtMs = -Infinity;

  constructor({ look = countDescriptors, clock = systemClock }: DescriptorBudgetOptions = {}) {
    this.#look = look;
    this.#clock = clock;
  }

  /** False: the connection is to be refused. */
  take(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs >= this.#lookAtMs) this.#count(nowMs);
    if (this.#left === 0) return false;
    this.#left -= 1;
    if (this.#left === 0) this.#lookAtMs = nowMs;
    return true;
  }

  #count(nowMs: number): void {
    const found = this.#look();
    if (found === undefined) {
      this.#left = Infinity;
      this.#lookAtMs = Infinity;
      return;
    }
    const kept = Math.min(KEPT_MAX, Math.max(KEPT_MIN, found.max * KEPT_SHARE));
    const free = Math.floor(found.max - kept - found.open);
    // Each client may want a connection to an endpoint.
    this.#left = free <= 0 ? 0 : Math.ceil(free / 2);
    this.#lookAtMs = nowMs + (free <= 0 ? LOOK_AGAIN_MS : LOOK_EVERY_MS);
  }
}
