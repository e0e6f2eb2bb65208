import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RunningTotals } from './running-totals.ts';

/** A sequence of processes, each with the increments between two readings. */
const arbitraryProcesses = fc.array(fc.array(fc.nat(100), { minLength: 1, maxLength: 20 }), {
  maxLength: 20,
});

describe('RunningTotals', () => {
  it('sums all increments over all processes', () => {
    fc.assert(
      fc.property(arbitraryProcesses, (processes) => {
        const totals = new RunningTotals();
        let expected = 0;
        for (const increments of processes) {
          let counter = 0;
          increments.forEach((increment, i) => {
            counter += increment;
            expected += increment;
            totals.begin(i > 0);

            expect(totals.read('cx', 'web', counter)).toBe(expected);
          });
        }
        expect(totals.sum('cx')).toBe(expected);
      }),
    );
  });

  it('does not decrease when the counters of a process are cleared', () => {
    const totals = new RunningTotals();
    totals.begin(true);
    totals.read('cx', 'web', 10);
    totals.begin(true);

    expect(totals.read('cx', 'web', 3)).toBe(13);
  });

  it('keeps the totals of removed names', () => {
    const totals = new RunningTotals();
    totals.begin(true);
    totals.read('cx', 'old', 5);
    totals.begin(false);
    totals.read('cx', 'new', 2);

    expect(totals.sum('cx')).toBe(7);
  });
});
