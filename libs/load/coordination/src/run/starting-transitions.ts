import type { RunMember, RunState } from '../record/run-state.ts';
import {
  conclude,
  failed,
  idsOf,
  memberOf,
  reached,
  type RunStep,
  type TransitionTable,
  withMember,
} from './run-step.ts';

const UNANSWERED = { kind: 'none' } as const;

/** Events that mean something before the barrier opens. */
export const STARTING: TransitionTable = {
  edge_registered: (state, { edgeId, instanceId }) => {
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

  /** Edges come back one by one, as new to this process. */
  hive_restarted: (state) => reached({ ...state, phase: 'waiting_for_edges', members: [] }),
};

function newMember(edgeId: string, instanceId: string): RunMember {
  return { edgeId, instanceId, answer: UNANSWERED, phase: null, end: null, reason: null };
}

/** Another set of edges: other shares for all of them. */
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
