/** Time as a dependency, so that tests can turn it. */
export abstract class Clock {
  /** Milliseconds since the Unix epoch. */
  abstract nowMs(): number;
  /** Milliseconds from an arbitrary start; never runs backwards. */
  abstract monotonicMs(): number;
}

export const systemClock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
} satisfies Clock;

/**
 * Resolves after `ms`, or as soon as the signal is aborted. For waiting on another process by looking again;
 * what happens in this one is awaited.
 */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}

/**
 * Microseconds since 1970 that never run backwards: the wall clock once, the monotonic clock from there on.
 * All threads that get the same `epochUs` agree to some microseconds.
 *
 * Two clocks cannot be read at once, and a busy machine may stop a thread for milliseconds between the two.
 * So they are compared several times, and the reading that took the shortest counts.
 */
export class MicroClock {
  /** The wall clock's time when the machine's monotonic clock was 0. */
  readonly epochUs: number;
  /** This thread's `performance.now()` began so long after the monotonic clock's 0. */
  readonly #startUs: number;

  constructor(epochUs = difference(() => Date.now() * 1_000, monotonicUs)) {
    this.epochUs = epochUs;
    this.#startUs = difference(monotonicUs, elapsedUs);
  }

  nowUs(): number {
    return Math.round(this.epochUs + this.#startUs + elapsedUs());
  }
}

const COMPARISONS = 32;

/** How far `clock` is ahead of `reference`. */
function difference(clock: () => number, reference: () => number): number {
  let best = { tookUs: Number.POSITIVE_INFINITY, aheadUs: 0 };
  for (let comparison = 0; comparison < COMPARISONS; comparison++) {
    const before = reference();
    const reading = clock();
    const tookUs = reference() - before;
    if (tookUs < best.tookUs) best = { tookUs, aheadUs: reading - before - tookUs / 2 };
  }
  return best.aheadUs;
}

function elapsedUs(): number {
  return performance.now() * 1_000;
}

function monotonicUs(): number {
  return Number(process.hrtime.bigint()) / 1_000;
}
