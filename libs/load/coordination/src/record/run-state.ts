import type { EdgePhase } from '#load/protocol';

export type RunStatus = 'Starting' | 'Running' | 'Completed' | 'Failed';

export const RUN_PHASES = [
  'waiting_for_edges',
  'awaiting_acks',
  'funding',
  'presigning',
  'warmup',
  'steady',
  'draining',
  'settling',
  'verifying',
  'reporting',
] as const;

export type HiveRunPhase = (typeof RUN_PHASES)[number];

/** The reason for which a run failed, or its load ended early. */
export type RunReason =
  | 'aborted'
  | 'hive_restarted'
  | 'no_disk_space'
  | 'funding_failed'
  | 'setup_failed'
  | 'edge_lost'
  | 'all_edges_lost'
  | 'telemetry_failed'
  | 'drained'
  | 'threshold_missed'
  | 'oracle_violation';

/** The end that a run will have once its remaining phases are done. */
export interface RunEnding {
  readonly status: 'Completed' | 'Failed';
  readonly reason: RunReason | null;
}

/** An edge's answer to a revision of its plan. */
export type PlanAnswer =
  | { readonly kind: 'none' }
  | { readonly kind: 'acked' }
  | { readonly kind: 'refused'; readonly code: string; readonly reason: string };

/** How an edge's part in a run ended; null while it goes on. */
export type MemberEnd = 'done' | 'failed' | 'lost' | 'evicted' | 'crashed';

/** An edge in a run. */
export interface RunMember {
  readonly edgeId: string;
  readonly instanceId: string;
  /** The answer to the current revision. */
  readonly answer: PlanAnswer;
  /** The last reported phase; null before the first report. */
  readonly phase: EdgePhase | null;
  readonly end: MemberEnd | null;
  /** The reason for an end other than `done`. */
  readonly reason: string | null;
}

/** The state of a run's state machine. */
export interface RunState {
  readonly status: RunStatus;
  /** Current phase; null after the end. */
  readonly phase: HiveRunPhase | null;
  /** Null until the end of the run is decided. */
  readonly ending: RunEnding | null;
  /** Revision of the edges' plans; increases with each change of the set of edges while Starting. */
  readonly revision: number;
  /** While Starting, its registered edges in the order of registration; afterwards the edges that started. */
  readonly members: readonly RunMember[];
  /** Whether the start order was issued. */
  readonly isStarted: boolean;
  readonly rules: RunRules;
}

/** The scenario settings that the state machine uses. */
export interface RunRules {
  readonly edgesMin: number;
  readonly failsOnEdgeLoss: boolean;
  /** The edges that the run names; missing if it takes every registered one. */
  readonly edgeIds?: readonly string[] | undefined;
}

export function newRunState(rules: RunRules): RunState {
  return {
    status: 'Starting',
    phase: 'waiting_for_edges',
    ending: null,
    revision: 0,
    members: [],
    isStarted: false,
    rules,
  };
}

/** Whether the start was ordered, and the end of the load is neither reached nor ordered. */
export function isSending({ isStarted, ending, phase }: RunState): boolean {
  const isBefore = phase !== null && RUN_PHASES.indexOf(phase) < RUN_PHASES.indexOf('draining');
  return isStarted && ending === null && isBefore;
}

export function isEnded({ status }: RunState): boolean {
  return status === 'Completed' || status === 'Failed';
}

/** The members that have not ended. */
export function liveMembers({ members }: RunState): readonly RunMember[] {
  return members.filter(({ end }) => end === null);
}

/** Whether the run takes the edge when it registers. */
export function takesEdge({ rules: { edgeIds } }: RunState, edgeId: string): boolean {
  return edgeIds === undefined || edgeIds.includes(edgeId);
}

/** The ids of the edges for which a Starting run waits: unregistered ones that it names, too. */
export function waitingFor({ status, ending, members, rules }: RunState): readonly string[] {
  if (status !== 'Starting' || ending !== null) return [];
  const known = new Set(members.map(({ edgeId }) => edgeId));
  const missing = (rules.edgeIds ?? []).filter((edgeId) => !known.has(edgeId));
  const silent = members.filter(({ answer }) => answer.kind !== 'acked').map(({ edgeId }) => edgeId);
  return [...silent, ...missing];
}

export function isDegraded({ members }: RunState): boolean {
  return members.some(({ end }) => end !== null && end !== 'done');
}
