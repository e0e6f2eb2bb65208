import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type EdgePhase, EDGE_PHASES, type EdgeProgress, ZERO_TALLY } from '#load/protocol';
import { parseScenario } from '#load/scenario';
import { isEnded } from '../record/run-state.ts';
import type { RunEvent, RunFact, RunTask } from './run-event.ts';
import { Run } from './run.ts';

const RUN_ID = 'r-20261121-142000-k3v9ax';
const LEAD_MS = 1_000;
const EDGE_IDS = ['a', 'b'];
const SCENARIO = {
  name: 'two edges',
  target: { chain_id: 412_346, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' },
  accounts: { count: 10 },
  load: { stages: [{ duration: '1s', rate: 10 }] },
};

const of = (edgeId: string) => ({ edgeId, instanceId: '1' });

function progress(phase: EdgePhase, planned: number, runId = RUN_ID): EdgeProgress {
  const tally = { ...ZERO_TALLY, planned, sent: planned, inFlight: planned };
  return { runId, phase, reason: '', tally, measured: tally, histograms: {} };
}

/** A run with its tasks, in order. */
class Recorded {
  readonly run = new Run({
    runId: RUN_ID,
    scenario: parseScenario(SCENARIO),
    randomSeed: 1,
    createdAtUs: 0,
    leadMs: LEAD_MS,
  });
  readonly batches: (readonly RunTask[])[] = [];

  constructor() {
    this.run.connect((tasks) => this.batches.push(tasks));
  }

  get tasks(): readonly RunTask[] {
    return this.batches.flat();
  }

  /** A run with two ready edges, at the start order. */
  static started(): Recorded {
    const recorded = new Recorded();
    const { run } = recorded;
    for (const edgeId of EDGE_IDS) run.happened({ type: 'edge_registered', ...of(edgeId) });
    for (const edgeId of EDGE_IDS)
      run.answered(edgeId, { runId: RUN_ID, instanceId: '1', revision: run.state.revision }, undefined);
    run.happened({ type: 'funded' });
    for (const edgeId of EDGE_IDS)
      run.learned({ type: 'counted', ...of(edgeId), progress: progress('ready', 0) });
    return recorded;
  }
}

const edge = fc.constantFrom(...EDGE_IDS);
const happening: fc.Arbitrary<RunEvent | RunFact> = fc.oneof(
  edge.map((edgeId) => ({ type: 'edge_registered', ...of(edgeId) }) as const),
  edge.map((edgeId) => ({ type: 'edge_lost', ...of(edgeId), reason: 'silence' }) as const),
  fc.record({
    type: fc.constant('acked' as const),
    edgeId: edge,
    instanceId: fc.constant('1'),
    revision: fc.nat(3),
  }),
  fc.tuple(edge, fc.constantFrom(...EDGE_PHASES), fc.nat(20)).map(([edgeId, phase, sent]) => ({
    type: 'counted' as const,
    ...of(edgeId),
    progress: progress(phase, sent),
  })),
  fc.constantFrom<RunEvent | RunFact>(
    { type: 'funded' },
    { type: 'load_cut', reason: 'threshold_missed' },
    { type: 'broken', reason: 'no_disk_space' },
    { type: 'settle_timed_out' },
    { type: 'verified' },
    { type: 'measured' },
    { type: 'concluded' },
    { type: 'found', finding: { code: 'found', edge_id: null, message: 'once' } },
  ),
);

const FACTS = ['counted', 'measured', 'found'];

function apply(run: Run, what: RunEvent | RunFact): void {
  if (FACTS.includes(what.type)) run.learned(what as RunFact);
  else run.happened(what as RunEvent);
}

describe('Run', () => {
  it('saves its state before a start, and ends once, as the last task', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 60 }), (happenings) => {
        const { run, batches } = new Recorded();
        for (const what of happenings) apply(run, what);

        for (const tasks of batches) {
          const names = tasks.map(({ type }) => type);
          if (names.includes('start')) expect(names.indexOf('save')).toBeLessThan(names.indexOf('start'));
          if (names.includes('end')) expect([names.at(-1), names.includes('save')]).toEqual(['end', true]);
        }
        const ends = batches.flat().filter(({ type }) => type === 'end');
        expect(ends).toHaveLength(Number(isEnded(run.state)));
        const codes = run.facts.findings.map(({ code, edge_id: edgeId }) => `${code} ${edgeId ?? ''}`);
        expect(new Set(codes).size).toBe(codes.length);
      }),
    );
  });

  it('accounts for every planned transaction once measuring is over', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 60 }), (happenings) => {
        const { run } = Recorded.started();
        for (const what of happenings) apply(run, what);
        run.happened({ type: 'stop_asked', mode: 'abort' });
        run.happened({ type: 'settle_timed_out' });
        run.learned({ type: 'measured' });

        const lost = run.state.members.filter(({ end }) => end !== 'done');
        for (const { edgeId } of lost) {
          const { planned, sent, notSent, included, rejected, unknown, inFlight } = run.tallyOf(edgeId);
          expect(planned).toBe(sent + notSent);
          expect([included + rejected + unknown, inFlight]).toEqual([sent, 0]);
        }
      }),
    );
  });

  it('ignores all events and facts after it is frozen', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 30 }), (happenings) => {
        const { run, batches } = Recorded.started();
        const { state, facts } = run;
        const before = [state, facts, run.figures(0).tally, batches.length];
        run.freeze();
        for (const what of happenings) apply(run, what);

        expect([run.state, run.facts, run.figures(0).tally, batches.length]).toEqual(before);
      }),
    );
  });

  it('schedules the first transaction one lead time after the last edge is ready', () => {
    const { run, tasks } = Recorded.started();
    const nowUs = 5_000_000;
    const late = new Recorded();
    late.run.happened({ type: 'edge_registered', ...of('a') });
    late.run.answered('a', { runId: RUN_ID, instanceId: '1', revision: 1 }, undefined);
    late.run.happened({ type: 'funded' });
    late.run.happened({ type: 'progressed', ...of('a'), phase: 'ready', reason: '' }, nowUs);

    expect(late.run.facts.startedAtUs).toBe(nowUs + LEAD_MS * 1_000);
    expect([run.state.isStarted, tasks.filter(({ type }) => type === 'start').length]).toEqual([true, 1]);
  });

  it('ignores progress of another run, or of another instance of an edge', () => {
    const { run } = Recorded.started();

    run.learned({ type: 'counted', ...of('a'), progress: progress('running', 7, 'r-another') });
    run.learned({ type: 'counted', edgeId: 'a', instanceId: '2', progress: progress('running', 7) });

    expect(run.figures(0).tally.sent).toBe(0);
  });

  it('reports no clock findings if no edge took part in the load', () => {
    const { run } = new Recorded();
    run.happened({ type: 'edge_registered', ...of('a') });
    run.learned({ type: 'measured' });

    expect(run.facts.findings).toEqual([]);
  });

  it('cuts the load at a violation if the scenario sets on_violation to stop', () => {
    const scenario = parseScenario({ ...SCENARIO, oracle: { on_violation: 'stop' } });
    const { state } = Recorded.started().run;
    const run = new Run(
      { runId: RUN_ID, scenario, randomSeed: 1, createdAtUs: 0 },
      {
        state,
        startedAtUs: 1,
        rates: [],
        participants: new Map(),
        findings: [],
        clocks: new Map(),
        progress: new Map(),
      },
    );

    run.learned({ type: 'violated', counts: { nonce: 1, balance: 0, gas: 0 } });

    expect(run.state.ending).toEqual({ status: 'Completed', reason: 'oracle_violation' });
  });
});
