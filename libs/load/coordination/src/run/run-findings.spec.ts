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

/** The findings for edges with these clocks; undefined for an unknown clock. */
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

  it('reports an edge with an unknown clock offset, and one with an uncertain offset', () => {
    expect(findingsFor({ a: GOOD, b: undefined, c: { offsetUs: 0, errorUs: 80_000 } })).toEqual([
      'clock_unknown b',
      'clock_uncertain c',
    ]);
  });

  it('reports nothing for a large but precisely known offset', () => {
    expect(findingsFor({ a: GOOD })).toEqual([]);
  });
});
