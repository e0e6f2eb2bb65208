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

/** For waiting on another process by looking again; what happens in this one is awaited. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
