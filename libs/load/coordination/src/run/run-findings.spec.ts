import { describe, expect, it } from '@jest/globals';
import { type ClockOffset, ZERO_TALLY } from '#load/protocol';
import { parseScenario } from '#load/scenario';
import { newRunState, type RunMember } from '../record/run-state.ts';
import { type ClosingFacts, closingFindings, notStartedFinding } from './run-findings.ts';

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

describe('the finding about a run that did not start', () => {
  const scenario = parseScenario({
    name: 'x',
    target: { chain_id: 31_337, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' },
    accounts: { count: 10 },
    load: { stages: [{ duration: '1s', rate: 1 }] },
    edges: { start_timeout: '60s' },
  });
  const textOf = (members: readonly RunMember[], rules: { edgesMin: number; edgeIds?: string[] }): string => {
    const state = { ...newRunState({ failsOnEdgeLoss: false, ...rules }), members };
    return notStartedFinding({ scenario, state }).message;
  };

  it('names the edges for which it waits, with their refusals', () => {
    const refused = { kind: 'refused', code: 'rpc_unreachable', reason: 'connection refused' } as const;
    const members = [
      { ...member('a'), answer: refused },
      { ...member('b'), answer: { kind: 'none' } as const },
      member('c'),
    ];

    expect(textOf(members, { edgesMin: 1 })).toBe(
      'it did not start within 60 s: a: rpc_unreachable, connection refused, b has not responded',
    );
  });

  it('names the edges that are missing', () => {
    expect(textOf([], { edgesMin: 2 })).toBe(
      'it did not start within 60 s: expected 2 edges, 0 are registered',
    );
    expect(textOf([member('a')], { edgesMin: 1, edgeIds: ['a', 'b'] })).toBe(
      'it did not start within 60 s: b is not registered',
    );
  });
});

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
