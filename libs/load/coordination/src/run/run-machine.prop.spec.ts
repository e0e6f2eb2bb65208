import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EDGE_PHASES } from '#load/protocol';
import { effort } from '#testing';
import {
  isEnded,
  isSending,
  newRunState,
  type RunRules,
  type RunState,
  waitingFor,
} from '../record/run-state.ts';
import type { RunEffect, RunEvent } from './run-event.ts';
import { stepRun } from './run-machine.ts';

const EDGE_IDS = ['a', 'b', 'c'];

/** A generated input; the current state turns it into an event. */
type Happening =
  | { readonly kind: 'register' | 'restart' | 'connect' | 'remove' | 'lose'; readonly edge: number }
  | {
      readonly kind: 'answer';
      readonly isAck: boolean;
      readonly edge: number;
      readonly isOldInstance: boolean;
      readonly back: number;
    }
  | { readonly kind: 'progress'; readonly edge: number; readonly phase: number }
  | { readonly kind: 'plain'; readonly event: RunEvent };

const edge = fc.nat(EDGE_IDS.length - 1);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('register', 'restart', 'connect', 'remove', 'lose'), edge }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('answer'),
      isAck: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.boolean()),
      edge,
      isOldInstance: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.boolean()),
      back: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat(2)),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('progress'), edge, phase: fc.nat(EDGE_PHASES.length - 1) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('plain'),
      event: fc.constantFrom<RunEvent>(
        { type: 'funded' },
        { type: 'recheck' },
        { type: 'load_began', isWarmup: true },
        { type: 'load_began', isWarmup: false },
        { type: 'rate_asked', number: 1, atMs: 1, rate: 2 },
        { type: 'stop_asked', mode: 'drain' },
        { type: 'stop_asked', mode: 'abort' },
        { type: 'load_cut', reason: 'threshold_missed' },
        { type: 'broken', reason: 'no_disk_space' },
        { type: 'settle_timed_out' },
        { type: 'verified' },
        { type: 'concluded' },
        { type: 'hive_restarted' },
      ),
    }),
  },
);

/** A minimal model of the barrier: the registered instances and their acknowledgements. */
class Barrier {
  readonly instances = new Map<string, string>();
  readonly acked = new Set<string>();
  #instanceCount = 0;

  newInstance(): string {
    return `i${String(++this.#instanceCount)}`;
  }

  isOpen(revision: number, { edgesMin }: RunRules): boolean {
    return this.instances.size >= edgesMin && this.waiting(revision).length === 0;
  }

  waiting(revision: number): readonly string[] {
    return [...this.instances].flatMap(([id, instance]) =>
      this.acked.has(`${id} ${instance} ${String(revision)}`) ? [] : [id],
    );
  }
}

function eventOf(what: Happening, barrier: Barrier, { revision }: RunState): RunEvent {
  if (what.kind === 'plain') return what.event;
  const edgeId = EDGE_IDS[what.edge] ?? '';
  const known = barrier.instances.get(edgeId);
  const instanceId = known ?? 'never';
  if (what.kind === 'progress') {
    return { type: 'progressed', edgeId, instanceId, phase: EDGE_PHASES[what.phase] ?? 'done', reason: '' };
  }
  if (what.kind === 'answer') {
    const answer = {
      edgeId,
      instanceId: what.isOldInstance ? 'i0' : instanceId,
      revision: revision - what.back,
    };
    return what.isAck
      ? { type: 'acked', ...answer }
      : { type: 'nacked', ...answer, code: 'rpc_unreachable', reason: 'refused' };
  }
  const events = {
    register: { type: 'edge_registered', edgeId, instanceId: known ?? barrier.newInstance() },
    restart: { type: 'edge_registered', edgeId, instanceId: barrier.newInstance() },
    remove: { type: 'edge_removed', edgeId },
    connect: { type: 'edge_connected', edgeId, instanceId },
    lose: { type: 'edge_lost', edgeId, instanceId, reason: 'silence' },
  } as const;
  return events[what.kind];
}

/** Applies the event to the model. */
function take(barrier: Barrier, event: RunEvent, before: RunState): void {
  if (event.type === 'edge_registered') barrier.instances.set(event.edgeId, event.instanceId);
  if (event.type === 'edge_removed') barrier.instances.delete(event.edgeId);
  if (event.type === 'hive_restarted') barrier.acked.clear();
  const isTaken = before.phase === 'awaiting_acks';
  const { edgeId, instanceId, revision } = { edgeId: '', instanceId: '', revision: 0, ...event };
  if (event.type === 'acked' && isTaken) barrier.acked.add(`${edgeId} ${instanceId} ${String(revision)}`);
  if (event.type === 'nacked' && isTaken) barrier.acked.delete(`${edgeId} ${instanceId} ${String(revision)}`);
}

function counts(effects: readonly RunEffect[]): Readonly<Record<string, number>> {
  const names = effects.map((effect) =>
    effect.type === 'start' && effect.isAgain ? 'start again' : effect.type,
  );
  return Object.fromEntries(names.map((name) => [name, names.filter((other) => other === name).length]));
}

describe('the state machine of a run', () => {
  it('leaves Starting exactly when every registered edge has acknowledged, and keeps its invariants', () => {
    const rules = fc.record({ edgesMin: fc.integer({ min: 1, max: 3 }), failsOnEdgeLoss: fc.boolean() });
    fc.assert(
      fc.property(rules, fc.array(happening, { maxLength: 80 }), (runRules, happenings) => {
        const barrier = new Barrier();
        const effects: RunEffect[] = [];
        let state = newRunState(runRules);
        for (const what of happenings) {
          const event = eventOf(what, barrier, state);
          const before = state;
          // A restarted hive registers the edges of its registry again.
          const events =
            event.type === 'hive_restarted'
              ? [
                  event,
                  ...Array.from(
                    barrier.instances,
                    ([edgeId, instanceId]) => ({ type: 'edge_registered', edgeId, instanceId }) as const,
                  ),
                ]
              : [event];
          for (const one of events) {
            take(barrier, one, state);
            const step = stepRun(state, one);
            effects.push(...step.effects);
            state = step.state;
            checkEffects(step.effects, before, state);
          }
          checkStep(before, event, state, barrier);
        }
        checkWhole(effects, happenings);
        expect(isEnded(ended(state))).toBe(true);
      }),
      { numRuns: effort(1_000, 250) },
    );
  });

  function checkStep(before: RunState, event: RunEvent, state: RunState, barrier: Barrier): void {
    if (isEnded(before)) expect(state).toEqual(before);
    if (before.ending?.status === 'Failed') expect(state.ending?.status).toBe('Failed');
    if (before.status !== 'Starting') expect(state.status).not.toBe('Starting');
    else checkStart(before, event, state, barrier);
  }

  function checkStart(before: RunState, event: RunEvent, state: RunState, barrier: Barrier): void {
    const isOpen = barrier.isOpen(state.revision, state.rules);
    if (state.status === 'Running') expect([isOpen, event.type]).toEqual([true, 'acked']);
    if (state.status === 'Failed') expect(before.phase).toBe('reporting');
    if (state.status !== 'Starting' || state.ending !== null) return;
    expect(isOpen).toBe(false);
    if (state.phase !== 'awaiting_acks') return;
    expect([...waitingFor(state)].sort()).toEqual([...barrier.waiting(state.revision)].sort());
  }

  function checkEffects(effects: readonly RunEffect[], before: RunState, state: RunState): void {
    for (const effect of effects) {
      if (!('edgeIds' in effect)) continue;
      const known = new Map([...before.members, ...state.members].map((member) => [member.edgeId, member]));
      for (const id of effect.edgeIds) expect(known.get(id)?.end ?? null).toBe(null);
      if (effect.type === 'start') expect(state.isStarted).toBe(true);
      if (effect.type === 'change_rate') expect(isSending(state)).toBe(true);
      if (effect.type === 'make_ready') expect(state.status).toBe('Running');
    }
  }

  function checkWhole(effects: readonly RunEffect[], happenings: readonly Happening[]): void {
    const count = counts(effects);
    const restarts = happenings.filter(
      (what) => what.kind === 'plain' && what.event.type === 'hive_restarted',
    );
    expect(count['fund'] ?? 0).toBeLessThanOrEqual(1);
    expect(count['start'] ?? 0).toBeLessThanOrEqual(1);
    expect(count['verify'] ?? 0).toBeLessThanOrEqual(1 + restarts.length);
    expect(count['conclude'] ?? 0).toBeLessThanOrEqual(1 + restarts.length);
  }

  /** The state after an abort, which ends the run from every state. */
  function ended(from: RunState): RunState {
    const events: readonly RunEvent[] = [
      { type: 'stop_asked', mode: 'abort' },
      { type: 'settle_timed_out' },
      { type: 'concluded' },
    ];
    return events.reduce((state, event) => stepRun(state, event).state, from);
  }
});
