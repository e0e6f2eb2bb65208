import type { RunEffect, RunEventName, RunEvents } from './run-event.ts';
import {
  liveMembers,
  type MemberEnd,
  type RunEnding,
  type RunMember,
  type RunReason,
  type RunState,
} from '../record/run-state.ts';

/** The result of an event. */
export interface RunStep {
  readonly state: RunState;
  readonly effects: readonly RunEffect[];
}

/** The transition for one kind of event. */
export type Transition<Name extends RunEventName> = (state: RunState, event: RunEvents[Name]) => RunStep;

/** An event without an entry changes nothing. */
export type TransitionTable = { readonly [Name in RunEventName]?: Transition<Name> };

export function reached(state: RunState, ...effects: readonly RunEffect[]): RunStep {
  return { state, effects };
}

export function failed(reason: RunReason): RunEnding {
  return { status: 'Failed', reason };
}

/** Enters `reporting` with the given ending. */
export function conclude(state: RunState, ending: RunEnding): RunStep {
  return reached({ ...state, phase: 'reporting', ending }, { type: 'conclude' });
}

/** The step, followed by another from its resulting state. */
export function andThen(step: RunStep, next: (state: RunState) => RunStep): RunStep {
  const { state, effects } = next(step.state);
  return { state, effects: [...step.effects, ...effects] };
}

/** The member with this edge id and instance id. */
export function memberOf(
  { members }: RunState,
  { edgeId, instanceId }: { readonly edgeId: string; readonly instanceId: string },
): RunMember | undefined {
  return members.find((member) => member.edgeId === edgeId && member.instanceId === instanceId);
}

export function withMember(state: RunState, changed: RunMember): RunState {
  const members = state.members.map((member) => (member.edgeId === changed.edgeId ? changed : member));
  return { ...state, members };
}

export function withEnd(state: RunState, member: RunMember, end: MemberEnd, reason: string | null): RunState {
  return withMember(state, { ...member, end, reason });
}

export function idsOf(members: readonly RunMember[]): readonly string[] {
  return members.map(({ edgeId }) => edgeId);
}

export function liveIds(state: RunState): readonly string[] {
  return idsOf(liveMembers(state));
}
