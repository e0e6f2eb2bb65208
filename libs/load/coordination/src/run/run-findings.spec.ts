import { describe, expect, it } from '@jest/globals';
import { type ClockOffset, ZERO_TALLY } from '#load/protocol';
import type { RunMember } from '../record/run-state.ts';
import { type ClosingFacts, closingFindings } from './run-findings.ts';

const member = (edgeId: string): RunMember => ({
  edgeId,
  instanceId: '1',
  answer: { kind: 'acked' },
  phase: 'done',
  end: 'done',
  reason: null,
});

const NOTHING: ClosingFacts = {
  members: [],
  clocks: new Map(),
  tally: ZERO_TALLY,
  notSent: [],
  mix: [],
  drawn: null,
};

/** The findings for edges with these clocks; undefined for an unknown clock. */
function findingsFor(clocks: Readonly<Record<string, ClockOffset | undefined>>): readonly string[] {
  const known = Object.entries(clocks).flatMap(([edgeId, clock]) =>
    clock === undefined ? [] : [[edgeId, clock] as const],
  );
  const members = Object.keys(clocks).map(member);
  return closingFindings({ ...NOTHING, members, clocks: new Map(known) }).map(
    ({ code, edge_id: edgeId }) => `${code} ${edgeId ?? ''}`,
  );
}

describe('findings about the mix', () => {
  const mix = [
    { kind: 'transfer', weight: 9 },
    { kind: 'transfer', weight: 0 },
    { kind: 'deploy', weight: 1 },
  ] as const;
  const tally = { ...ZERO_TALLY, planned: 20 };

  it('names the entries of which no transaction was drawn', () => {
    const [finding] = closingFindings({ ...NOTHING, tally, mix, drawn: new Set(['transfer']) });

    expect(finding).toMatchObject({
      code: 'mix_not_drawn',
      message: expect.stringContaining('mix.1 (transfer, weight 0), mix.2 (deploy, weight 1)'),
    });
  });

  it('reports nothing if all were drawn, or if rows are missing', () => {
    const rest = mix.filter(({ weight }) => weight > 0);
    const dropped = { ...tally, eventsDropped: 3 };

    expect(closingFindings({ ...NOTHING, tally, mix: rest, drawn: new Set(['transfer', 'deploy']) })).toEqual(
      [],
    );
    expect(
      closingFindings({ ...NOTHING, tally: dropped, mix: rest, drawn: new Set() }).map(({ code }) => code),
    ).toEqual(['events_dropped']);
  });
});

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
