import { describe, expect, it } from '@jest/globals';
import type { ClockOffset } from '#load/protocol';
import { parseScenario } from '#load/scenario';
import type { RunMember } from '../record/run-state.ts';
import { closingFindings } from './closing-findings.ts';
import { RunData } from './run-data.ts';

const SCENARIO = {
  name: 'clocks',
  target: { chain_id: 412_346, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' },
  accounts: { count: 10 },
  load: { stages: [{ duration: '1s', rate: 10 }] },
};

const member = (edgeId: string): RunMember => ({
  edgeId,
  instanceId: '1',
  answer: { kind: 'acked' },
  phase: 'done',
  end: 'done',
  reason: null,
});

/** Of a run of these edges; undefined: their clock is not known. */
function findingsFor(clocks: Readonly<Record<string, ClockOffset | undefined>>, isStarted = true) {
  const scenario = parseScenario(SCENARIO);
  const runData = new RunData({ runId: 'r-20261121-142000-k3v9ax', scenario, randomSeed: 1, createdAtUs: 0 });
  const members = Object.keys(clocks).map(member);
  runData.state = { ...runData.state, status: 'Running', phase: 'reporting', isStarted: true, members };
  for (const [edgeId, clock] of Object.entries(clocks)) {
    if (clock !== undefined) runData.clocks.set(edgeId, clock);
  }
  if (isStarted) runData.startAt(1_000_000);
  return closingFindings(runData)
    .filter(({ code }) => code.startsWith('clock_'))
    .map(({ code, edge_id: edgeId }) => `${code} ${edgeId ?? ''}`);
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

  it('has nothing to say where nobody sent anything', () => {
    expect(findingsFor({ a: undefined }, false)).toEqual([]);
  });
});
