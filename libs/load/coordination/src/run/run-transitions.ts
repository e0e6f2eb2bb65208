import { EDGE_PHASES, type EdgePhase } from '#load/protocol';
import {
  isSending,
  liveMembers,
  type MemberEnd,
  RUN_PHASES,
  type RunMember,
  type HiveRunPhase,
  type RunReason,
  type RunState,
  takesEdge,
} from '../record/run-state.ts';
import type { RunEffect } from './run-event.ts';
import {
  andThen,
  conclude,
  failed,
  idsOf,
  liveIds,
  memberOf,
  reached,
  type RunStep,
  type TransitionTable,
  withEnd,
  withMember,
} from './run-step.ts';

const UNANSWERED = { kind: 'none' } as const;

/** Events that have an effect before the barrier opens. */
export const STARTING: TransitionTable = {
  edge_registered: (state, { edgeId, instanceId }) => {
    if (!takesEdge(state, edgeId)) return reached(state);
    const known = state.members.find((member) => member.edgeId === edgeId);
    if (known === undefined) return replan(state, [...state.members, newMember(edgeId, instanceId)]);
    if (known.instanceId === instanceId) return reached(state);
    return reached(withMember(state, newMember(edgeId, instanceId)));
  },

  edge_connected: (state, event) => {
    const isAsked = memberOf(state, event)?.answer.kind === 'none' && state.phase === 'awaiting_acks';
    return isAsked ? reached(state, { type: 'prepare', edgeIds: [event.edgeId] }) : reached(state);
  },

  edge_removed: (state, { edgeId }) => {
    const rest = state.members.filter((member) => member.edgeId !== edgeId);
    return rest.length === state.members.length ? reached(state) : replan(state, rest);
  },

  acked: (state, event) => {
    const member = memberOf(state, event);
    if (member === undefined || !isCurrent(state, event.revision)) return reached(state);
    return openBarrier(withMember(state, { ...member, answer: { kind: 'acked' } }));
  },

  nacked: (state, event) => {
    const member = memberOf(state, event);
    if (member === undefined || !isCurrent(state, event.revision)) return reached(state);
    const { code, reason } = event;
    return reached(withMember(state, { ...member, answer: { kind: 'refused', code, reason } }));
  },

  recheck: (state) => {
    const refused = state.members.filter(({ answer }) => answer.kind === 'refused');
    if (refused.length === 0 || state.phase !== 'awaiting_acks') return reached(state);
    return reached(state, { type: 'prepare', edgeIds: idsOf(refused) });
  },

  stop_asked: (state) => {
    const edgeIds = state.phase === 'awaiting_acks' ? idsOf(state.members) : [];
    const { state: next, effects } = conclude(state, failed('aborted'));
    return reached(next, { type: 'stop', edgeIds, isAbort: true, reason: 'aborted' }, ...effects);
  },

  /** The edges register again one by one, as new members. */
  hive_restarted: (state) => reached({ ...state, phase: 'waiting_for_edges', members: [] }),
};

function newMember(edgeId: string, instanceId: string): RunMember {
  return { edgeId, instanceId, answer: UNANSWERED, phase: null, end: null, reason: null };
}

/** A changed set of edges gives every edge a new plan. */
function replan(state: RunState, members: readonly RunMember[]): RunStep {
  const next: RunState = {
    ...state,
    phase: members.length >= state.rules.edgesMin ? 'awaiting_acks' : 'waiting_for_edges',
    revision: state.revision + 1,
    members: members.map((member) => ({ ...member, answer: UNANSWERED })),
  };
  if (next.phase === 'waiting_for_edges') return reached(next);
  return reached(next, { type: 'prepare', edgeIds: idsOf(members) });
}

function isCurrent({ phase, revision }: RunState, answered: number): boolean {
  return phase === 'awaiting_acks' && answered === revision;
}

function openBarrier(state: RunState): RunStep {
  if (state.members.some(({ answer }) => answer.kind !== 'acked')) return reached(state);
  return reached({ ...state, status: 'Running', phase: 'funding' }, { type: 'fund' });
}

const COMPLETED = { status: 'Completed', reason: null } as const;

/** Events that have an effect between the barrier and the end. */
export const RUNNING: TransitionTable = {
  /** A new instance ends the part of the earlier instance in this run. */
  edge_registered: (state, { edgeId, instanceId }) => {
    const member = liveMember(state, edgeId);
    if (member === undefined || member.instanceId === instanceId) return reached(state);
    return lose(state, member, { end: 'crashed', reason: 'it was restarted' });
  },

  edge_connected: (state, event) => {
    const member = memberOf(state, event);
    return member?.end === null ? reached(state, ...repeated(state, event.edgeId)) : reached(state);
  },

  edge_removed: (state, { edgeId }) => {
    const member = liveMember(state, edgeId);
    return member === undefined
      ? reached(state)
      : lose(state, member, { end: 'evicted', reason: 'it was removed' });
  },

  edge_lost: (state, event) => {
    const member = memberOf(state, event);
    if (member?.end !== null) return reached(state);
    return lose(state, member, { end: 'lost', reason: event.reason });
  },

  progressed: (state, event) => {
    const member = memberOf(state, event);
    if (member?.end !== null || !isFurther(event.phase, member.phase)) return reached(state);
    const isOver = event.phase === 'done' || event.phase === 'failed';
    if (!isOver) return follow(withMember(state, { ...member, phase: event.phase }));
    // An edge that stopped on order counts as done, even if it reports `failed`.
    if (event.phase === 'failed' && state.ending === null) {
      return lose(state, member, { end: 'failed', reason: event.reason });
    }
    return follow(withEnd(state, { ...member, phase: 'done' }, 'done', null));
  },

  funded: (state) => {
    if (state.phase !== 'funding') return reached(state);
    const next: RunState = { ...state, phase: 'presigning' };
    return andThen(reached(next, { type: 'make_ready', edgeIds: liveIds(next) }), follow);
  },

  load_began: (state, { isWarmup }) => {
    const isLoad = state.isStarted && isBefore(state.phase, 'draining');
    return reached(isLoad ? { ...state, phase: isWarmup ? 'warmup' : 'steady' } : state);
  },

  rate_asked: (state, { number, atMs, rate }) => {
    if (!isSending(state)) return reached(state);
    return reached(state, { type: 'change_rate', edgeIds: liveIds(state), number, atMs, rate });
  },

  stop_asked: (state, { mode }) => (mode === 'drain' ? cut(state, 'drained') : fail(state, 'aborted')),
  load_cut: (state, { reason }) => cut(state, reason),
  broken: (state, { reason }) => fail(state, reason),

  settle_timed_out: (state) => {
    if (state.phase !== 'settling' || state.ending?.status !== 'Failed') return reached(state);
    const silent = liveMembers(state);
    const ended = silent.reduce(
      (next, member) => withEnd(next, member, 'lost', 'it did not settle in time'),
      state,
    );
    return conclude(ended, state.ending);
  },

  verified: (state) => {
    return state.phase === 'verifying' ? conclude(state, state.ending ?? COMPLETED) : reached(state);
  },

  /** What is on disk and at the edges is enough once the load is over. */
  hive_restarted: (state) => {
    const isLoaded = !isBefore(state.phase, 'settling') && state.ending?.status !== 'Failed';
    return isLoaded ? resume(state) : fail(state, 'hive_restarted');
  },
};

function liveMember(state: RunState, edgeId: string): RunMember | undefined {
  return liveMembers(state).find((member) => member.edgeId === edgeId);
}

function isFurther(phase: EdgePhase, than: EdgePhase | null): boolean {
  return than === null || EDGE_PHASES.indexOf(phase) > EDGE_PHASES.indexOf(than);
}

function isBefore(phase: HiveRunPhase | null, other: HiveRunPhase): boolean {
  return phase !== null && RUN_PHASES.indexOf(phase) < RUN_PHASES.indexOf(other);
}

/** The orders that a reconnected edge may have missed. */
function repeated(state: RunState, edgeId: string): readonly RunEffect[] {
  const edgeIds = [edgeId];
  const { ending, phase, isStarted } = state;
  if (ending !== null) {
    return [{ type: 'stop', edgeIds, isAbort: ending.status === 'Failed', reason: ending.reason ?? '' }];
  }
  if (isStarted) return [{ type: 'start', edgeIds, isAgain: true }];
  return phase === 'presigning' ? [{ type: 'make_ready', edgeIds }] : [];
}

/** Begins the current phase again, from what is on disk. */
function resume(state: RunState): RunStep {
  return state.phase === 'verifying' ? reached(state, { type: 'verify' }) : follow(state);
}

/** Sets the phase of the run to that of its slowest edge. */
function follow(state: RunState): RunStep {
  const live = liveMembers(state);
  if (live.length === 0) return followNoEdge(state);
  const isEveryone = (phase: EdgePhase): boolean => live.every((member) => !isFurther(phase, member.phase));
  if (state.phase === 'presigning' && !state.isStarted && isEveryone('ready')) {
    return reached({ ...state, isStarted: true }, { type: 'start', edgeIds: liveIds(state), isAgain: false });
  }
  const next = (['settling', 'draining'] as const).find(isEveryone);
  if (next === undefined || !isBefore(state.phase, next)) return reached(state);
  return reached({ ...state, phase: next });
}

function followNoEdge(state: RunState): RunStep {
  if (state.ending?.status === 'Failed') return conclude(state, state.ending);
  if (state.members.every(({ end }) => end !== 'done')) return conclude(state, failed('all_edges_lost'));
  if (!isBefore(state.phase, 'verifying')) return reached(state);
  return reached({ ...state, phase: 'verifying' }, { type: 'verify' });
}

function lose(
  state: RunState,
  member: RunMember,
  { end, reason }: { readonly end: MemberEnd; readonly reason: string },
): RunStep {
  const lost = reached(withEnd(state, member, end, reason), {
    type: 'member_ended',
    edgeId: member.edgeId,
    end,
    reason,
  });
  const isFatal = state.rules.failsOnEdgeLoss && state.ending?.status !== 'Failed';
  return andThen(lost, isFatal ? (next) => fail(next, 'edge_lost') : follow);
}

/** Ends the load early; sent transactions are settled and verified. */
function cut(state: RunState, reason: RunReason): RunStep {
  if (state.ending !== null || !isBefore(state.phase, 'draining')) return reached(state);
  const ending = { status: 'Completed', reason } as const;
  return reached(
    { ...state, phase: 'draining', ending },
    { type: 'stop', edgeIds: liveIds(state), isAbort: false, reason },
  );
}

/** Fails the run without verification; the edges deliver their remaining events. */
function fail(state: RunState, reason: RunReason): RunStep {
  const ending = state.ending?.status === 'Failed' ? state.ending : failed(reason);
  const edgeIds = liveIds(state);
  const stopped: RunEffect = { type: 'stop', edgeIds, isAbort: true, reason };
  if (edgeIds.length === 0) return conclude(state, ending);
  return reached({ ...state, phase: 'settling', ending }, stopped, { type: 'await_settling' });
}
