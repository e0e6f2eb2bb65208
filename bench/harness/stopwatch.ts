import type { Maybe } from '../targets/target.ts';

/** One round: the number of calls, and the mean time of one. */
export interface Round {
  readonly calls: number;
  readonly msPerCall: number;
}

/**
 * Repeats calls until `leastMs` have passed. Synchronous results are not awaited, so that a synchronous
 * engine pays for no turn of the event loop. `from` numbers the first call.
 */
export async function timeRound(run: (at: number) => unknown, leastMs: number, from = 0): Promise<Round> {
  const start = performance.now();
  let calls = 0;
  let elapsed = 0;
  let stride = 1;
  while (elapsed < leastMs) {
    for (let at = 0; at < stride; at++) {
      const result = run(from + calls++);
      if (result instanceof Promise) await result;
    }
    elapsed = performance.now() - start;
    if (elapsed < leastMs / 16) stride *= 2;
  }
  return { calls, msPerCall: elapsed / calls };
}

/** The time of each call, in ms, ascending. */
export async function timeEach(run: (at: number) => unknown, calls: number): Promise<Float64Array> {
  const times = new Float64Array(calls);
  for (let at = 0; at < calls; at++) {
    const start = performance.now();
    const result = run(at);
    if (result instanceof Promise) await result;
    times[at] = performance.now() - start;
  }
  return times.sort();
}

/** Writers that each wait for their acknowledgement; returns acknowledgements per second. */
export async function timeWriters(
  write: (ordinal: number) => Maybe<void> | undefined,
  { writers, leastMs }: { readonly writers: number; readonly leastMs: number },
): Promise<number> {
  const start = performance.now();
  let taken = 0;
  let acknowledged = 0;
  const writer = async (): Promise<void> => {
    while (performance.now() - start < leastMs) {
      await write(taken++);
      acknowledged++;
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
  return (acknowledged * 1_000) / (performance.now() - start);
}

/** The median; for an even number the lower one. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

/** The smallest value that at least `share` of the values do not exceed. */
export function percentile(ascending: Float64Array, share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;
}
