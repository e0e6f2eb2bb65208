import { type Clock, systemClock } from '#platform/foundation';

/** Time that can also be waited for, so that tests can turn it. */
export interface RunClock extends Clock {
  /** Resolves after `ms`, or as soon as the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemRunClock: RunClock = {
  ...systemClock,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
    }),
};
