import { type Clock, pause, systemClock } from '#platform/foundation';

/** Time that can also be waited for, so that tests can turn it. */
export interface RunClock extends Clock {
  /** Resolves after `ms`, or as soon as the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemRunClock: RunClock = { ...systemClock, sleep: pause };
