import type { Check } from '#load/oracle';
import type { ClockOffset, EdgePhase, EdgeProgress, EdgeRegistration } from '#load/protocol';
import type { RunFinding } from '#load/report';
import type { ThresholdOutcome } from '#load/scenario';
import type { PartFile } from '#load/telemetry';
import type { ContractsMade, RateChange } from '#load/worker';
import type { AccountPartition } from '../edge/account-partition.ts';
import type { PlannedStage } from '../live/edge-part.ts';
import type { MemberEnd, HiveRunPhase, RunReason, RunStatus } from '../record/run-state.ts';
import type { VerifiedRun } from '../telemetry/telemetry-messages.ts';

interface OfInstance {
  readonly edgeId: string;
  readonly instanceId: string;
}

interface AnswerEvent extends OfInstance {
  readonly revision: number;
}

/** A change of the rate; its number is 1 for the first one of the run. */
export interface NumberedChange extends RateChange {
  readonly number: number;
}

/** An edge in a run, as registered when the run was divided among the edges. */
export interface Participant {
  readonly registration: EdgeRegistration;
  readonly partition: AccountPartition;
}

/** The input of the state machine: the events that can change a run's state, by name. */
export interface RunEvents {
  /** A first or repeated registration, by the same instance or a new one. */
  edge_registered: OfInstance;
  /** Its control stream is open: it can receive orders. */
  edge_connected: OfInstance;
  /** Deleted through the API, or deregistered by the edge. */
  edge_removed: { readonly edgeId: string };
  /** Silent for too long, or still running after the deadline. */
  edge_lost: OfInstance & { readonly reason: string };
  acked: AnswerEvent;
  nacked: AnswerEvent & { readonly code: string; readonly reason: string };
  /** Sends the plan again to edges that rejected it: the cause may be resolved. */
  recheck: object;
  progressed: OfInstance & { readonly phase: EdgePhase; readonly reason: string };
  funded: object;
  /** The time of the first transaction, or of the first measured transaction, is reached. */
  load_began: { readonly isWarmup: boolean };
  /** A stop request: `drain` completes the run after settling, `abort` fails it at once. */
  stop_asked: { readonly mode: 'drain' | 'abort' };
  /** The rate of all edges from a time on, in ms since the start of the load. */
  rate_asked: NumberedChange;
  /** The hive ends the load early; the result counts. */
  load_cut: { readonly reason: RunReason };
  /** A failure without which the run cannot continue, such as funding or telemetry. */
  broken: { readonly reason: RunReason };
  /** The time for edges to deliver their remaining events is over. */
  settle_timed_out: object;
  verified: object;
  /** The files of the run are closed, complete or not. */
  concluded: object;
  /** The state was read from disk by a new process. */
  hive_restarted: object;
}

/** Facts about a run, by name. They do not change its state directly. */
export interface LearnedFacts {
  /** The accounts of each edge, after planning. */
  shared_out: { readonly participants: ReadonlyMap<string, Participant> };
  /** The counts reported by an edge. */
  counted: OfInstance & { readonly progress: EdgeProgress };
  /** The clock offsets of the edges, and the silent edges. */
  watched: {
    readonly clocks: ReadonlyMap<string, ClockOffset>;
    readonly silent: ReadonlySet<string>;
  };
  accounts_funded: { readonly funded: number; readonly count: number };
  /** The maximum cost to the funder. */
  cost_known: { readonly mostWei: bigint };
  /** The contracts of the run are created, and its setup is done. */
  contracts_made: { readonly made: ContractsMade };
  /** The schedule of each edge, derived by the hive; null in the closed model. */
  schedule_drawn: { readonly schedule: ReadonlyMap<string, readonly PlannedStage[]> | null };
  /** Violations so far, by check; never decrease. */
  violated: { readonly counts: Readonly<Record<Check, number>> };
  /** The oracle has processed all telemetry. */
  judged: { readonly verified: VerifiedRun };
  /** Measuring is over. `outcomes`: threshold outcomes of another process, which still had the latencies. */
  measured: { readonly outcomes?: readonly ThresholdOutcome[] };
  sealed: { readonly parts: readonly PartFile[] };
  found: { readonly finding: RunFinding };
}

export type RunEventName = keyof RunEvents;

type Named<Events> = { [Name in keyof Events]: { readonly type: Name } & Events[Name] }[keyof Events];

export type RunEvent = Named<RunEvents>;

export type RunFact = Named<LearnedFacts>;

/** The effects of a step of the state machine, performed in order. */
export type RunEffect =
  | { readonly type: 'prepare'; readonly edgeIds: readonly string[] }
  | { readonly type: 'fund' }
  | { readonly type: 'make_ready'; readonly edgeIds: readonly string[] }
  /** `isAgain`: a repeated order to a reconnected edge. */
  | { readonly type: 'start'; readonly edgeIds: readonly string[]; readonly isAgain: boolean }
  | {
      readonly type: 'stop';
      readonly edgeIds: readonly string[];
      readonly isAbort: boolean;
      readonly reason: string;
    }
  | ({ readonly type: 'change_rate'; readonly edgeIds: readonly string[] } & NumberedChange)
  | { readonly type: 'verify' }
  | { readonly type: 'conclude' }
  | RunNote;

/** Effects on the run's own record only. */
type RunNote =
  | { readonly type: 'await_settling' }
  | {
      readonly type: 'member_ended';
      readonly edgeId: string;
      readonly end: MemberEnd;
      readonly reason: string;
    };

/** Work for a run outside of its state, performed in order. */
export type RunTask =
  | { readonly type: 'save'; readonly isUrgent: boolean }
  | {
      readonly type: 'tell_phase';
      readonly status: RunStatus;
      readonly phase: HiveRunPhase | null;
      readonly reason: RunReason | null;
    }
  | Exclude<RunEffect, RunNote>
  /** The last task of a run. */
  | { readonly type: 'end' };

export type TaskNamed<Type extends RunTask['type']> = Extract<RunTask, { readonly type: Type }>;
