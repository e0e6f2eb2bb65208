import { describe, expect, it, jest } from '@jest/globals';
import { MicroClock } from './clock.ts';

describe('MicroClock', () => {
  it('agrees with the clock of another thread, even when the machine was suspended in between', () => {
    const first = new MicroClock();
    const read = process.hrtime.bigint.bind(process.hrtime);
    let readings = 0;
    const stalled = jest.spyOn(process.hrtime, 'bigint').mockImplementation(() => {
      const at = read();
      if (readings++ === 0) while (read() - at < 5_000_000n);
      return at;
    });

    const second = new MicroClock(first.epochUs);
    stalled.mockRestore();
    const [before, at, after] = [first.nowUs(), second.nowUs(), first.nowUs()];

    expect(at).toBeGreaterThan(before - 4_000);
    expect(at).toBeLessThan(after + 4_000);
  });

  it('never runs backwards', () => {
    const clock = new MicroClock();
    const times = Array.from({ length: 1_000 }, () => clock.nowUs());

    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });
});
