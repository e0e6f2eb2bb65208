import type { Clock } from '#platform/foundation';
import type { HaproxyReport } from './haproxy-reader.ts';

export interface ReportFeedOptions {
  readonly read: () => Promise<HaproxyReport>;
  readonly onReport: (report: HaproxyReport) => void;
  /** Called once for each failed reading. */
  readonly onFault: (error: unknown) => void;
  readonly clock: Clock;
}

/** The time for which a report is fresh: a burst of scrapes costs one reading. */
const FRESH_MS = 250;
const BACK_OFF_MIN_MS = 250;
const BACK_OFF_MAX_MS = 5_000;

/**
 * Readings of HAProxy, shared by concurrent callers and cached briefly. After a failure the next reading is
 * delayed, twice as long each time; callers do not wait for an unreachable socket meanwhile.
 */
export class ReportFeed {
  readonly #options: ReportFeedOptions;
  #underWay: Promise<void> | undefined;
  #notBeforeMs = -Infinity;
  #backOffMs = BACK_OFF_MIN_MS;

  constructor(options: ReportFeedOptions) {
    this.#options = options;
  }

  /** Resolves when the report is fresh, or cannot be refreshed now. Never rejects. */
  refresh(): Promise<void> {
    if (this.#underWay !== undefined) return this.#underWay;
    if (this.#options.clock.monotonicMs() < this.#notBeforeMs) return Promise.resolve();
    this.#underWay = this.#readOnce().finally(() => (this.#underWay = undefined));
    return this.#underWay;
  }

  /** Like {@link refresh}, with a reading that starts after the call: for callers that made a change. */
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
