import type { Clock } from '#platform/foundation';
import type { HaproxyReport } from './haproxy-reader.ts';

export interface ReportFeedOptions {
  readonly read: () => Promise<HaproxyReport>;
  readonly onReport: (report: HaproxyReport) => void;
  /** Called once for each failed reading. */
  readonly onFault: (error: unknown) => void;
  readonly clock: Clock;
}

/** How long a report is fresh: a storm of scrapes costs one reading. */
const FRESH_MS = 250;
const BACK_OFF_MIN_MS = 250;
const BACK_OFF_MAX_MS = 5_000;

/**
 * Readings of HAProxy, shared by all who ask at the same time, and kept for a moment. After a failure the
 * next reading waits, twice as long each time: nobody who asks meanwhile waits for a socket that is gone.
 */
export class ReportFeed {
  readonly #options: ReportFeedOptions;
  #underWay: Promise<void> | undefined;
  #notBeforeMs = -Infinity;
  #backOffMs = BACK_OFF_MIN_MS;

  constructor(options: ReportFeedOptions) {
    this.#options = options;
  }

  /** Resolves when what is known is fresh, or cannot be made so now. Never rejects. */
  refresh(): Promise<void> {
    if (this.#underWay !== undefined) return this.#underWay;
    if (this.#options.clock.monotonicMs() < this.#notBeforeMs) return Promise.resolve();
    this.#underWay = this.#readOnce().finally(() => (this.#underWay = undefined));
    return this.#underWay;
  }

  /** Like {@link refresh}, with a reading that begins now or later: something was changed. */
  async reread(): Promise<void> {
    await this.#underWay;
    this.#notBeforeMs = -Infinity;
    await this.refresh();
  }

  async #readOnce(): Promise<void> {
    const { read, onReport, onFault, clock } = this.#options;
    try {
      onReport(await read());
      this.#backOffMs = BACK_OFF_MIN_MS;
      this.#notBeforeMs = clock.monotonicMs() + FRESH_MS;
    } catch (error) {
      this.#notBeforeMs = clock.monotonicMs() + this.#backOffMs;
      this.#backOffMs = Math.min(2 * this.#backOffMs, BACK_OFF_MAX_MS);
      onFault(error);
    }
  }
}
