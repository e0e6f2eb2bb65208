import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Tally, ZERO_TALLY } from '#load/protocol';
import { partOf, type PlannedStage } from './edge-part.ts';

const COUNT = fc.nat(1_000);
const NOTHING_SEEN = { sent: 0, notSent: 0, included: 0, rejected: 0, rejectedUnexpected: 0 };

/** A tally as reported by an edge: its identities hold. */
const arbitraryTally: fc.Arbitrary<Tally> = fc
  .record({ included: COUNT, rejected: COUNT, unknown: COUNT, inFlight: COUNT, notSent: COUNT })
  .map((counts) => {
    const sent = counts.included + counts.rejected + counts.unknown + counts.inFlight;
    return { ...ZERO_TALLY, ...counts, sent, planned: sent + counts.notSent };
  });

const arbitrarySeen = fc
  .record({ included: COUNT, rejected: COUNT, unknown: COUNT, notSent: COUNT })
  .map(({ unknown, ...counts }) => {
    const sent = counts.included + counts.rejected + unknown;
    return { ...counts, sent, rejectedUnexpected: Math.floor(counts.rejected / 2) };
  });

const arbitrarySchedule: fc.Arbitrary<readonly PlannedStage[]> = fc.array(
  fc.record({ planned: fc.nat(5_000), isExcluded: fc.boolean() }),
  { maxLength: 6 },
);

/** The measured share of a tally: at most all of it. */
function someOf(tally: Tally, share: number): Tally {
  const part = (count: number): number => Math.floor(count * share);
  const counts = {
    included: part(tally.included),
    rejected: part(tally.rejected),
    unknown: part(tally.unknown),
    inFlight: part(tally.inFlight),
  };
  const sent = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const notSent = part(tally.notSent);
  return { ...ZERO_TALLY, ...counts, sent, notSent, planned: sent + notSent };
}

function addsUp({ planned, sent, notSent, included, rejected, unknown, inFlight }: Tally): void {
  expect(planned).toBe(sent + notSent);
  expect(sent).toBe(included + rejected + unknown);
  expect(inFlight).toBe(0);
  expect(Math.min(included, rejected, unknown, notSent)).toBeGreaterThanOrEqual(0);
}

describe('partOf for a lost edge', () => {
  it('adds up, decreases no count, and covers the whole schedule', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(arbitraryTally, arbitrarySeen, arbitrarySchedule, share, (tally, seen, schedule, some) => {
        const said = { tally, measured: someOf(tally, some) };
        const part = partOf(said, { lostSeen: seen, schedule });

        addsUp(part.tally);
        addsUp(part.measured);
        expect(part.tally.included).toBe(Math.max(tally.included, seen.included));
        expect(part.tally.rejected).toBe(Math.max(tally.rejected, seen.rejected));
        expect(part.tally.notSent).toBeGreaterThanOrEqual(Math.max(tally.notSent, seen.notSent));
        expect(part.tally.sent).toBeGreaterThanOrEqual(Math.max(tally.sent, seen.sent));
        expect(part.measured.included).toBeGreaterThanOrEqual(said.measured.included);
        expect(part.measured.rejected).toBeGreaterThanOrEqual(said.measured.rejected);
        expect(part.measured.sent).toBeGreaterThanOrEqual(said.measured.sent);
        const planned = schedule.reduce((sum, stage) => sum + stage.planned, 0);
        expect(part.tally.planned).toBeGreaterThanOrEqual(planned);
        const { failedUnexpected, rejectedUnexpected, unknown } = part.tally;
        expect(failedUnexpected).toBe(rejectedUnexpected + Math.min(unknown, tally.unknown));
      }),
    );
  });

  it('counts in-flight transactions as unknown, not as failed, if no telemetry arrived', () => {
    fc.assert(
      fc.property(arbitraryTally, (tally) => {
        const unknown = tally.unknown + tally.inFlight;
        const part = partOf({ tally, measured: tally }, { lostSeen: NOTHING_SEEN, schedule: null });

        const settled = {
          ...tally,
          unknown,
          failedUnexpected: tally.unknown,
          ackedUndecided: unknown,
          inFlight: 0,
        };
        expect(part).toEqual({ tally: settled, measured: settled, leftOut: 0, leftOutMeasured: 0 });
      }),
    );
  });

  it('cuts no rejection of its last report if its telemetry has more inclusions', () => {
    const tally = { ...ZERO_TALLY, planned: 100, sent: 100, included: 60, rejected: 10, inFlight: 30 };
    const lostSeen = { ...NOTHING_SEEN, sent: 95, included: 95 };

    const part = partOf({ tally, measured: tally }, { lostSeen, schedule: null });

    expect(part.tally).toMatchObject({ sent: 105, included: 95, rejected: 10, unknown: 0 });
  });

  it('counts a rejection that only its telemetry has as failed if the mix does not expect it', () => {
    const tally = { ...ZERO_TALLY, planned: 100, sent: 100, included: 60, rejected: 10, inFlight: 30 };
    const lostSeen = { ...NOTHING_SEEN, sent: 100, included: 60, rejected: 40, rejectedUnexpected: 2 };

    const part = partOf({ tally, measured: tally }, { lostSeen, schedule: null });

    const expected = { rejected: 40, rejectedUnexpected: 2, unknown: 0, failedUnexpected: 2 };
    expect(part.tally).toMatchObject(expected);
    expect(part.measured).toMatchObject(expected);
  });

  it('counts transactions sent after the warm-up as measured, although the edge did not report them', () => {
    const tally = { ...ZERO_TALLY, planned: 12, sent: 12, included: 12 };
    const measured = { ...ZERO_TALLY, planned: 2, sent: 2, included: 2 };
    const schedule = [
      { planned: 10, isExcluded: true },
      { planned: 30, isExcluded: false },
    ];

    const part = partOf(
      { tally, measured },
      { lostSeen: { ...NOTHING_SEEN, sent: 15, included: 14 }, schedule },
    );

    expect(part.tally).toMatchObject({ planned: 40, sent: 15, notSent: 25, included: 14, unknown: 1 });
    expect(part.measured).toMatchObject({ planned: 30, sent: 5, notSent: 25, included: 4, unknown: 1 });
    expect(part).toMatchObject({ leftOut: 25, leftOutMeasured: 25 });
  });
});

describe('partOf for an edge that is done', () => {
  it('keeps the reported counts, and adds the rest of the schedule as left out', () => {
    const tally = { ...ZERO_TALLY, planned: 285, sent: 280, notSent: 5, included: 280 };
    const schedule = [{ planned: 400, isExcluded: false }];

    const part = partOf({ tally, measured: tally }, { lostSeen: null, schedule });

    expect(part.tally).toEqual({ ...tally, planned: 400, notSent: 120 });
    expect(part.measured).toEqual(part.tally);
    expect([part.leftOut, part.leftOutMeasured]).toEqual([115, 115]);
  });
});
