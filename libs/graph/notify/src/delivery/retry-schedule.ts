import type { Clock } from '#platform/foundation';
import type { DeliveryRetry } from '../config/notification-config.ts';
import type { Delivery } from '../outbox/delivery.ts';

/** Further doublings exceed any maximum. */
const DOUBLINGS_MAX = 40;

/** When a failed delivery is retried: after doubling waits, until its message is too old. */
export class RetrySchedule {
  readonly #retry: DeliveryRetry;
  readonly #clock: Clock;

  constructor(retry: DeliveryRetry, clock: Clock) {
    this.#retry = retry;
    this.#clock = clock;
  }

  /** Wait before the next attempt; at most the maximum wait after the clock was set back. */
  waitMs({ next_at: at }: Delivery): number {
    if (at === null) return 0;
    return Math.min(Date.parse(at) - this.#clock.nowMs(), this.#retry.longest);
  }

  /** Time of the next attempt, RFC 3339; undefined: the message is given up. */
  nextAt({ attempts, message }: Delivery): string | undefined {
    const { first, longest, give_up_after: giveUpMs } = this.#retry;
    const nowMs = this.#clock.nowMs();
    if (nowMs - Date.parse(message.at) >= giveUpMs) return undefined;
    const waitMs = Math.min(longest, first * 2 ** Math.min(attempts - 1, DOUBLINGS_MAX));
    return new Date(nowMs + waitMs).toISOString();
  }
}
