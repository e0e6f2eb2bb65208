import { describe, expect, it } from '@jest/globals';
import { QueryScheduler, SLICE_MS, TRIAL_MS } from './query-scheduler.ts';

class TurnedClock {
  ms = 0;

  nowMs(): number {
    return this.ms;
  }

  monotonicMs(): number {
    return this.ms;
  }
}

const PATIENT = { deadlineMs: Infinity, signal: { aborted: false } };

/** A query that needs this much time; resolves to its completion, in the clock's time. */
async function run(
  scheduler: QueryScheduler,
  clock: TurnedClock,
  needsMs: number,
  { admission = PATIENT, bytesAMs = 0 } = {},
): Promise<{ readonly endedMs: number; readonly isInVain: boolean; readonly wasSetAside: boolean }> {
  const query = scheduler.admit(admission);
  let wasSetAside = false;
  let leftMs = needsMs;
  try {
    const wait = query.begin();
    if (wait !== undefined) await wait;
    for (;;) {
      if (query.isInVain(clock.ms)) return { endedMs: clock.ms, isInVain: true, wasSetAside };
      clock.ms += Math.min(SLICE_MS, leftMs);
      leftMs -= SLICE_MS;
      if (leftMs <= 0) return { endedMs: clock.ms, isInVain: false, wasSetAside };
      const builtMs = needsMs - leftMs;
      await query.next(() => {
        wasSetAside = true;
        leftMs = needsMs;
      }, builtMs * bytesAMs);
    }
  } finally {
    query.leave();
  }
}

function setUp(
  runningMax: number,
  waitingMax: number,
  memoryMax = Infinity,
): { clock: TurnedClock; scheduler: QueryScheduler } {
  const clock = new TurnedClock();
  return { clock, scheduler: new QueryScheduler(clock, { runningMax, waitingMax, memoryMax }) };
}

describe('QueryScheduler', () => {
  it('runs short queries while long ones hold every place', async () => {
    const { clock, scheduler } = setUp(2, 8);
    const long = Array.from({ length: 4 }, () => run(scheduler, clock, 40 * TRIAL_MS));
    const short = await run(scheduler, clock, TRIAL_MS / 2);
    const ends = await Promise.all(long);

    expect(short.endedMs).toBeLessThan(Math.min(...ends.map(({ endedMs }) => endedMs)) / 4);
  });

  it('runs the first slice of a new query before further slices of short queries', async () => {
    const { clock, scheduler } = setUp(32, 8);
    const others = Array.from({ length: 16 }, () => run(scheduler, clock, TRIAL_MS));
    while (clock.ms < 8 * TRIAL_MS) await new Promise(setImmediate);
    const askedMs = clock.ms;

    const { endedMs } = await run(scheduler, clock, 1);
    await Promise.all(others);

    expect(endedMs - askedMs).toBeLessThanOrEqual(3 * SLICE_MS);
  });

  it('shares the slices among long queries, and sets aside those that wait for a place', async () => {
    const { clock, scheduler } = setUp(2, 8);

    const [first, second, third] = await Promise.all(
      [1, 2, 3].map(() => run(scheduler, clock, 10 * TRIAL_MS)),
    );

    expect(Math.abs((first?.endedMs ?? 0) - (second?.endedMs ?? 0))).toBeLessThanOrEqual(TRIAL_MS);
    expect([first?.wasSetAside, second?.wasSetAside, third?.wasSetAside]).toEqual([false, false, true]);
    expect([scheduler.running, scheduler.waiting]).toEqual([0, 0]);
  });

  it('rejects a query above the limits of running and waiting queries', async () => {
    const { clock, scheduler } = setUp(1, 1);
    const admitted = [run(scheduler, clock, 4 * TRIAL_MS), run(scheduler, clock, 4 * TRIAL_MS)];

    expect([scheduler.running, scheduler.waiting]).toEqual([1, 1]);
    await expect(run(scheduler, clock, 1)).rejects.toMatchObject({
      code: 'TOO_BUSY',
      message: 'expected at most 2 queries at a time: try again soon',
    });
    await Promise.all(admitted);
  });

  it('removes the waiting query of a disconnected client', async () => {
    const { clock, scheduler } = setUp(1, 1);
    const signal = { aborted: false };
    const first = run(scheduler, clock, 20 * TRIAL_MS);
    const second = run(scheduler, clock, 20 * TRIAL_MS, {
      admission: { deadlineMs: Infinity, signal },
    });
    while (scheduler.parked === 0) await new Promise(setImmediate);
    signal.aborted = true;

    const third = run(scheduler, clock, 1);

    await expect(second).resolves.toMatchObject({ isInVain: true });
    await expect(third).resolves.toMatchObject({ isInVain: false });
    await first;
  });

  it('wakes a query that waits for a place past its deadline', async () => {
    const { clock, scheduler } = setUp(1, 1);
    const first = run(scheduler, clock, 100 * TRIAL_MS);
    const deadlineMs = 10 * TRIAL_MS;
    const second = await run(scheduler, clock, 20 * TRIAL_MS, {
      admission: { ...PATIENT, deadlineMs },
    });

    expect(second.isInVain).toBe(true);
    expect(second.endedMs).toBeLessThan((await first).endedMs);
  });

  it('starts as many new queries at once as fit one slice, and queues the others', () => {
    const { clock, scheduler } = setUp(16, 16);
    const began = Array.from({ length: 8 }, () => {
      const query = scheduler.admit(PATIENT);
      const waits = query.begin() !== undefined;
      if (!waits) clock.ms += 2;
      query.leave();
      return !waits;
    });

    expect(began).toEqual([true, true, true, false, false, false, false, false]);
  });
  it('continues only the oldest query above the memory limit, and the others after it', async () => {
    const { clock, scheduler } = setUp(8, 8, 12 * TRIAL_MS);
    const most = { bytes: 0 };
    const runs = [1, 2, 3, 4].map(() => run(scheduler, clock, 10 * TRIAL_MS, { bytesAMs: 1 }));
    const watch = setInterval(() => (most.bytes = Math.max(most.bytes, scheduler.heldBytes)));
    const ends = await Promise.all(runs);
    clearInterval(watch);

    expect(ends.filter(({ isInVain }) => isInVain)).toEqual([]);
    expect(ends.map(({ wasSetAside }) => wasSetAside)).toEqual([false, true, true, true]);
    expect(Math.min(...ends.map(({ endedMs }) => endedMs))).toBe(ends[0]?.endedMs);
    expect(most.bytes).toBeLessThan(16 * TRIAL_MS);
    expect(scheduler.heldBytes).toBe(0);
  });
});
