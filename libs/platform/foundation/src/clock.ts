/** Time as a dependency, so that tests can control it. */
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
 * Resolves after `ms`, or as soon as the signal is aborted. For polling another process; events of this
 * process are awaited instead.
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
 * Monotonic microseconds since 1970: the wall clock is read once, then only the monotonic clock. All threads
 * with the same `epochUs` agree to some microseconds.
 *
 * The two clocks cannot be read at the same instant, and a busy machine may suspend a thread for milliseconds
 * between the two reads. So they are compared several times, and the shortest comparison counts.
 */
export class MicroClock {
  /** The wall-clock time when the machine's monotonic clock was 0. */
  readonly epochUs: number;
  /** Offset of this thread's `performance.now()` to the monotonic clock. */
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
