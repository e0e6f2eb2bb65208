import { type Clock, systemClock } from '#platform/foundation';

/** Time that can also be waited for, so that tests can turn it. */
export interface Timers extends Clock {
  /** Runs once, `ms` from now, unless it is called off before. */
  after(ms: number, run: () => void): CallOff;
}

export type CallOff = () => void;

/** Keeps no process alive. */
export const systemTimers: Timers = {
  ...systemClock,
  after: (ms, run) => {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};
