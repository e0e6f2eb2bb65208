import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Tally, ZERO_TALLY } from '../run/edge-progress.ts';
import { settledTally } from './settled-tally.ts';

const COUNT = fc.nat(1_000);

/** A tally as an edge says it: its identities hold. */
const arbitraryTally: fc.Arbitrary<Tally> = fc
  .record({ included: COUNT, rejected: COUNT, unknown: COUNT, inFlight: COUNT, notSent: COUNT })
  .map((counts) => {
    const sent = counts.included + counts.rejected + counts.unknown + counts.inFlight;
    return { ...ZERO_TALLY, ...counts, sent, planned: sent + counts.notSent };
  });

const arbitrarySeen = fc
  .record({ included: COUNT, rejected: COUNT, unknown: COUNT, notSent: COUNT })
  .map(({ unknown, ...counts }) => ({ ...counts, sent: counts.included + counts.rejected + unknown }));

const NOTHING_SEEN = { sent: 0, notSent: 0, included: 0, rejected: 0 };

describe('the last word on an edge that is lost', () => {
  it('adds up, and takes nothing back', () => {
    fc.assert(
      fc.property(arbitraryTally, arbitrarySeen, (tally, seen) => {
        const settled = settledTally(tally, seen);

        expect(settled.planned).toBe(settled.sent + settled.notSent);
        expect(settled.sent).toBe(settled.included + settled.rejected + settled.unknown);
        expect(settled.inFlight).toBe(0);
        expect(settled.unknown).toBeGreaterThanOrEqual(0);
        expect(settled.included).toBe(Math.max(tally.included, seen.included));
        expect(settled.sent).toBeGreaterThanOrEqual(Math.max(tally.sent, seen.sent));
      }),
    );
  });

  it('calls unknown what was in flight, where nothing more was handed over', () => {
    fc.assert(
      fc.property(arbitraryTally, (tally) => {
        const { unknown, inFlight } = tally;

        expect(settledTally(tally, NOTHING_SEEN)).toEqual({
          ...tally,
          unknown: unknown + inFlight,
          inFlight: 0,
        });
      }),
    );
  });
});
