import { mainThreadTimes, type ThreadTimes } from '#platform/disk';

interface Sample extends ThreadTimes {
  readonly atMs: number;
}

/** A starved thread had at most a quarter of the processor time that it could have used… */
const WAITS_A_RUN = 3;
/** …for a tenth of the time at least: a thread with little to do waits a moment whenever it wakes. */
const WAITED_SHARE = 0.1;

/**
 * Whether this machine had too few processors for what ran on it. A time-out of such a time says nothing of a
 * target that shares the machine, and little of another one (ADR 0624).
 */
export class ProcessorShare {
  readonly #keptMs: number;
  readonly #read: () => ThreadTimes | undefined;
  /** The first is as old as asked for, or from the start. */
  readonly #samples: Sample[] = [];

  constructor(keptMs: number, read: () => ThreadTimes | undefined = mainThreadTimes) {
    this.#keptMs = keptMs;
    this.#read = read;
    this.sample();
  }

  /** Call it regularly: times are known as exactly as it is called. */
  sample(): void {
    const sample = this.#now();
    if (sample === undefined) return;
    this.#samples.push(sample);
    while ((this.#samples[1]?.atMs ?? Infinity) <= sample.atMs - this.#keptMs) this.#samples.shift();
  }

  /** By the clock of the process. False where the system does not tell. */
  wasStarvedSince(startMs: number): boolean {
    const before = this.#samples.findLast(({ atMs }) => atMs <= startMs) ?? this.#samples[0];
    const now = this.#now();
    if (before === undefined || now === undefined) return false;
    const waitedMs = now.waitedMs - before.waitedMs;
    const ranMs = now.ranMs - before.ranMs;
    return waitedMs >= ranMs * WAITS_A_RUN && waitedMs >= (now.atMs - before.atMs) * WAITED_SHARE;
  }

  #now(): Sample | undefined {
    const times = this.#read();
    return times && { ...times, atMs: performance.now() };
  }
}
