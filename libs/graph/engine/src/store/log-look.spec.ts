import { beforeEach, describe, expect, it } from '@jest/globals';
import { LogLook } from './log-look.ts';

/** A log that is written elsewhere, and the part of it that is known here. */
class Elsewhere {
  readonly storage: { shared: unknown } = { shared: {} };
  written = 0;
  known = 0;
  looks = 0;
  atOnce = 0;
  atOnceMax = 0;
  /** When looks began and ended. */
  readonly times: { readonly beganMs: number; endedMs: number }[] = [];
  gate: Promise<void> = Promise.resolve();
  fault: Error | undefined;

  get publishedSeq(): number {
    return this.known;
  }

  async catchUp(): Promise<void> {
    this.looks++;
    this.atOnceMax = Math.max(this.atOnceMax, ++this.atOnce);
    const seen = this.written;
    const time = { beganMs: performance.now(), endedMs: Infinity };
    this.times.push(time);
    await this.gate;
    this.atOnce--;
    time.endedMs = performance.now();
    if (this.fault !== undefined) throw this.fault;
    this.known = Math.max(this.known, seen);
  }
}

describe('a look at the log', () => {
  let log: Elsewhere;
  let look: LogLook;

  beforeEach(() => {
    log = new Elsewhere();
    look = new LogLook(log);
  });

  /** Asks, and returns how much of what had been written by then is not known after the look. */
  const missedAfterLook = async (): Promise<number> => {
    const written = ++log.written;
    await look.taken();
    return Math.max(0, written - log.known);
  };

  it('is shared by requests that come before its begin', async () => {
    const missed = await Promise.all(Array.from({ length: 1_000 }, missedAfterLook));

    expect([new Set(missed), log.looks]).toEqual([new Set([0]), 1]);
  });

  it('is taken for a batch that is not known here', async () => {
    log.written = 3;

    await look.takenFor(0);
    expect(log.looks).toBe(0);
    await look.takenFor(3);
    await look.takenFor(3);
    expect([log.looks, log.known]).toEqual([1, 3]);
  });

  it('begins after it was asked for, also while another one runs', async () => {
    const gate: PromiseWithResolvers<void> = Promise.withResolvers();
    log.gate = gate.promise;
    const first = missedAfterLook();
    while (log.looks === 0) await new Promise((resolve) => setImmediate(resolve));
    const later = Array.from({ length: 100 }, missedAfterLook);
    gate.resolve();

    expect(new Set(await Promise.all([first, ...later]))).toEqual(new Set([0]));
    expect([log.looks, log.atOnceMax]).toEqual([2, 1]);
  });

  it('rests four times as long as it took, and 50 ms from one to the next, however often it is asked for', async () => {
    const askers = Array.from({ length: 20 }, async () => {
      while (log.looks < 6) await missedAfterLook();
    });
    await Promise.all(askers);
    const gaps = log.times.slice(1).map(({ beganMs }, at) => {
      const before = log.times[at] ?? { beganMs: 0, endedMs: 0 };
      const restMs = Math.min(4 * (before.endedMs - before.beganMs), 1_000);
      // The look begins a little before the log is asked; a pause between makes its rest longer, up to this.
      return beganMs - Math.max(before.beganMs + 40, before.endedMs + restMs);
    });

    expect(gaps.filter((ms) => ms < 0)).toEqual([]);
    expect(log.looks).toBeGreaterThanOrEqual(6);
  });

  it('that fails rejects every request that shares it, and the next one begins anew', async () => {
    log.fault = new Error('away');
    const faults = await Promise.allSettled([look.taken(), look.taken()]);
    log.fault = undefined;

    expect(faults.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(missedAfterLook()).resolves.toBe(0);
  });

  it('is not taken where no other process writes', async () => {
    log.storage.shared = undefined;
    await look.taken();

    expect(log.looks).toBe(0);
  });
});
