import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MaximumSearch } from './maximum-search.ts';
import type { SearchStep, StepEnd } from './search-step.ts';

const STEPS_MAX = 60;

function stepAt(rate: number, end: StepEnd): SearchStep {
  return { rate, achieved_rate: rate, end, why: '', objectives: [], run_id: 'r-1', headline: '' };
}

function searched(search: MaximumSearch, endAt: (rate: number) => StepEnd): readonly number[] {
  const rates: number[] = [];
  for (let rate = search.next; rate !== undefined && rates.length < STEPS_MAX; rate = search.next) {
    rates.push(rate);
    search.add(stepAt(rate, endAt(rate)));
  }
  return rates;
}

const RATE = fc.double({ min: 2, max: 50_000, noNaN: true });

describe('the search for a maximum', () => {
  it('finds the highest rate that holds, to the precision, whatever its first step', () => {
    fc.assert(
      fc.property(RATE, fc.integer({ min: 1, max: 1_000 }), (limit, from) => {
        const search = new MaximumSearch({ from, to: 100_000, precision: 0.05 });
        const rates = searched(search, (rate) => (rate <= limit ? 'held' : 'missed'));
        const { maximum, refused, limited_by: limited } = search.found(false);

        expect(rates.length).toBeLessThan(30);
        expect(new Set(rates).size).toBe(rates.length);
        if (maximum === null) expect(from).toBeGreaterThan(limit);
        else {
          expect(maximum).toBeLessThanOrEqual(limit);
          expect(refused).toBeGreaterThan(limit);
          expect((refused ?? 0) - maximum).toBeLessThanOrEqual(maximum * 0.05 + 1e-9);
          expect(limited).toBe('missed');
        }
      }),
    );
  });

  it('ends at its limit, which it tries, with no claim about the target', () => {
    const search = new MaximumSearch({ from: 50, to: 120, precision: 0.05 });

    expect(searched(search, () => 'held')).toEqual([50, 100, 120]);
    expect(search.found(false)).toMatchObject({ maximum: 120, refused: null, limited_by: 'search_limit' });
  });

  it.each(['generator', 'unknown', 'violated'] as const)('says that %s was the limit', (end) => {
    const search = new MaximumSearch({ from: 50, to: 1_000, precision: 0.1 });
    searched(search, (rate) => (rate > 80 ? end : 'held'));

    expect(search.found(false).limited_by).toBe(end);
  });

  it('ends at once with a failed run, and keeps what was found', () => {
    const search = new MaximumSearch({ from: 50, to: 1_000, precision: 0.1 });

    expect(searched(search, (rate) => (rate > 50 ? 'failed' : 'held'))).toEqual([50, 100]);
    expect(search.found(false)).toMatchObject({ maximum: 50, limited_by: 'failed' });
  });

  it('gives up below one a second', () => {
    const search = new MaximumSearch({ from: 8, to: 100, precision: 0.05 });

    expect(searched(search, () => 'missed')).toEqual([8, 4, 2, 1]);
    expect(search.found(false)).toMatchObject({ maximum: null, limited_by: 'missed' });
  });

  it('calls an interrupted search interrupted, and a finished one not', () => {
    const search = new MaximumSearch({ from: 50, to: 60, precision: 0.05 });
    search.add(stepAt(50, 'held'));
    expect(search.found(true).limited_by).toBe('interrupted');
    search.add(stepAt(60, 'held'));
    expect(search.found(true).limited_by).toBe('search_limit');
  });
});
