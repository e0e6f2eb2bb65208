import { describe, expect, it } from '@jest/globals';
import { mainThreadTimes, type ThreadTimes } from '#platform/disk';
import { ProcessorShare } from './processor-share.ts';

/** The first reading is that of the start. */
const starvedBy = (ranMs: number, waitedMs: number, keptMs = Infinity): boolean => {
  const readings = [
    { ranMs: 100, waitedMs: 100 },
    { ranMs: 100 + ranMs, waitedMs: 100 + waitedMs },
  ].values();
  const share = new ProcessorShare(keptMs, () => readings.next().value);
  return share.wasStarvedSince(performance.now());
};

describe('The share of the processor', () => {
  it.each([
    [1_000, 4_000, true],
    [1_000, 2_000, false],
    [0, 4_000, true],
    [4_000, 0, false],
  ])(
    'is too small if the thread waited far longer than it ran: %p ms, %p ms',
    (ranMs, waitedMs, isStarved) => {
      expect(starvedBy(ranMs, waitedMs)).toBe(isStarved);
    },
  );

  it('is not too small because of moments of waiting', () => {
    expect(starvedBy(0, 0)).toBe(false);
  });

  it('is that since the time asked for', () => {
    let times: ThreadTimes = { ranMs: 0, waitedMs: 0 };
    const share = new ProcessorShare(Infinity, () => times);
    times = { ranMs: 0, waitedMs: 1e6 };
    share.sample();
    const startMs = performance.now();
    times = { ranMs: 1e6, waitedMs: 1e6 };

    expect([share.wasStarvedSince(startMs), share.wasStarvedSince(0)]).toEqual([false, false]);
    times = { ranMs: 1e5, waitedMs: 1e6 };
    expect([share.wasStarvedSince(startMs), share.wasStarvedSince(0)]).toEqual([false, true]);
  });

  it('is unknown where the system does not tell', () => {
    expect(new ProcessorShare(1_000, () => undefined).wasStarvedSince(0)).toBe(false);
  });

  it('is counted by Linux for a thread that works', () => {
    const before = mainThreadTimes();
    const untilMs = process.cpuUsage().user + 20_000;
    while (process.cpuUsage().user < untilMs);
    const after = mainThreadTimes();

    if (process.platform === 'linux') expect(after?.ranMs).toBeGreaterThan(before?.ranMs ?? Infinity);
    else expect(after).toBeUndefined();
  });
});
