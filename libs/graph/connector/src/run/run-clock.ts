import { type Clock, pause, systemClock } from '#platform/foundation';

/** A clock with sleep, which tests replace. */
export interface RunClock extends Clock {
  /** Resolves after `ms`, or as soon as the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemRunClock: RunClock = { ...systemClock, sleep: pause };
