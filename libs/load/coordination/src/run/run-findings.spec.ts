import { describe, expect, it } from '@jest/globals';
import { type ClockOffset, ZERO_TALLY } from '#load/protocol';
import type { RunMember } from '../record/run-state.ts';
import { closingFindings } from './run-findings.ts';

const member = (edgeId: string): RunMember => ({
  edgeId,
  instanceId: '1',
  answer: { kind: 'acked' },
  phase: 'done',
  end: 'done',
  reason: null,
});

/** Of edges that took part; undefined: their clock is not known. */
function findingsFor(clocks: Readonly<Record<string, ClockOffset | undefined>>): readonly string[] {
  const known = Object.entries(clocks).flatMap(([edgeId, clock]) =>
    clock === undefined ? [] : [[edgeId, clock] as const],
  );
  const members = Object.keys(clocks).map(member);
  return closingFindings({ members, clocks: new Map(known), tally: ZERO_TALLY, notSent: [] }).map(
    ({ code, edge_id: edgeId }) => `${code} ${edgeId ?? ''}`,
  );
}

describe('findings about clocks', () => {
  const GOOD = { offsetUs: 7_000_000, errorUs: 900 };

  it('names an edge whose offset is not known, and one whose offset is hardly known', () => {
    expect(findingsFor({ a: GOOD, b: undefined, c: { offsetUs: 0, errorUs: 80_000 } })).toEqual([
      'clock_unknown b',
      'clock_uncertain c',
    ]);
  });

  it('has nothing to say of a clock that is far off and known to be', () => {
    expect(findingsFor({ a: GOOD })).toEqual([]);
  });
});
