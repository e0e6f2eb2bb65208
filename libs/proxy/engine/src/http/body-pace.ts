/**
 * Minimum rate of a request body: a slow client must not occupy a place in the cluster. The check ends with
 * the body, or when the response has begun: from then on only the idle time-out applies.
 */
import type { Timers } from '../cluster/target/cluster-context.ts';
import { Deadline, type Expirable } from '../listener/timeout-list.ts';
import type { HttpHost } from './http-host.ts';
import type { RequestBody } from './request-body.ts';

/** Grace before the rate is checked: a client may begin slowly. */
const GRACE_MS = 20_000;
const LOOK_EVERY_MS = 5_000;

export class BodyPace {
  readonly #whole = new Deadline({ expired: () => this.#onLate() });
  readonly #look: Deadline;
  readonly #onLate: () => void;

  constructor(body: RequestBody, { config, timers, timeouts }: HttpHost, onLate: () => void) {
    this.#onLate = onLate;
    this.#whole.start(timeouts.of(config.requestTimeoutMs));
    const every = timeouts.of(LOOK_EVERY_MS);
    const again = (): void => this.#look.start(every);
    this.#look = new Deadline(new RateCheck({ body, timers, rate: config.bodyMinRate, again, onLate }));
    if (config.bodyMinRate > 0) again();
  }

  stop(): void {
    this.#whole.stop();
    this.#look.stop();
  }
}

interface RateCheckParts {
  readonly body: RequestBody;
  readonly timers: Timers;
  /** Bytes per second. */
  readonly rate: number;
  readonly again: () => void;
  readonly onLate: () => void;
}

class RateCheck implements Expirable {
  readonly #parts: RateCheckParts;
  #sinceMs: number;
  #bytesBefore = 0;

  constructor(parts: RateCheckParts) {
    this.#parts = parts;
    this.#sinceMs = parts.timers.monotonicMs();
  }

  expired(): void {
    const { body, timers, rate, again, onLate } = this.#parts;
    const nowMs = timers.monotonicMs();
    if (body.wasPaused || !body.isAwaited) {
      // The upstream was the bottleneck: the client is measured from now on.
      body.wasPaused = false;
      this.#sinceMs = nowMs;
      this.#bytesBefore = body.bytes;
    }
    const dueMs = GRACE_MS + ((body.bytes - this.#bytesBefore) * 1_000) / rate;
    if (nowMs - this.#sinceMs >= dueMs) onLate();
    else again();
  }
}
