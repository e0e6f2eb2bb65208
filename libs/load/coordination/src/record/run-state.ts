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

/** Why a run failed, or why its load ended early. */
export type RunReason =
  | 'aborted'
  | 'hive_restarted'
  | 'no_disk_space'
  | 'funding_failed'
  | 'edge_lost'
  | 'all_edges_lost'
  | 'telemetry_failed'
  | 'drained'
  | 'threshold_missed'
  | 'oracle_violation';

/** How a run is to end, once what must come before is done. */
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
  /** To the current revision. */
  readonly answer: PlanAnswer;
  /** How far it is; null before it says so. */
  readonly phase: EdgePhase | null;
  readonly end: MemberEnd | null;
  /** Of an end that is not `done`. */
  readonly reason: string | null;
}

/** All that decides what a run does next. */
export interface RunState {
  readonly status: RunStatus;
  /** Null after the end. */
  readonly phase: HiveRunPhase | null;
  /** Null until it is known how the run will end. */
  readonly ending: RunEnding | null;
  /** Of the edges' plans; rises with each change of the set of edges while the run is Starting. */
  readonly revision: number;
  /** While Starting all registered edges, in the order of their registration; then those that started. */
  readonly members: readonly RunMember[];
  /** Whether the edges were told when to start. */
  readonly isStarted: boolean;
  readonly rules: RunRules;
}

/** What of the scenario the machine has to know. */
export interface RunRules {
  readonly edgesMin: number;
  readonly failsOnEdgeLoss: boolean;
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

export function isEnded({ status }: RunState): boolean {
  return status === 'Completed' || status === 'Failed';
}

/** Those whose part goes on. */
export function liveMembers({ members }: RunState): readonly RunMember[] {
  return members.filter(({ end }) => end === null);
}

/** Whom a run that is Starting waits for. */
export function waitingFor({ status, ending, members }: RunState): readonly string[] {
  if (status !== 'Starting' || ending !== null) return [];
  return members.filter(({ answer }) => answer.kind !== 'acked').map(({ edgeId }) => edgeId);
}

export function isDegraded({ members }: RunState): boolean {
  return members.some(({ end }) => end !== null && end !== 'done');
}
