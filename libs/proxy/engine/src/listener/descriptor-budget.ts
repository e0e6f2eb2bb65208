/**
 * Decides whether one more client can be accepted. Hot path: called once for each connection.
 *
 * Some file descriptors are reserved for connections to endpoints, checks and the admin server: a process
 * that has given all of them to clients can serve none of these, and would consider its endpoints dead. The
 * system silently closes connections that it cannot accept; rejections by this class are counted.
 *
 * The number of open descriptors is read when half of the free ones may have been used up, and periodically.
 */
import { countDescriptors, type Descriptors } from '#platform/disk';
import { type Clock, systemClock } from '#platform/foundation';

export interface DescriptorBudgetOptions {
  readonly look?: () => Descriptors | undefined;
  readonly clock?: Clock;
}

/** The reserve: this share of all descriptors, between a minimum and a maximum. */
const KEPT_SHARE = 0.1;
const KEPT_MIN = 8;
const KEPT_MAX = 256;
const LOOK_EVERY_MS = 1_000;
/** Interval when none is left: they may be released at any time. */
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

  /** False: reject the connection. */
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
    // Each client may need a connection to an endpoint.
    this.#left = free <= 0 ? 0 : Math.ceil(free / 2);
    this.#lookAtMs = nowMs + (free <= 0 ? LOOK_AGAIN_MS : LOOK_EVERY_MS);
  }
}
