import type { Check } from '#load/oracle';
import type { ClockOffset, EdgePhase, EdgeProgress, EdgeRegistration } from '#load/protocol';
import type { RunFinding } from '#load/report';
import type { ThresholdOutcome } from '#load/scenario';
import type { PartFile } from '#load/telemetry';
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

/** An edge in a run, as it was when the run was shared out. */
export interface Participant {
  readonly registration: EdgeRegistration;
  readonly partition: AccountPartition;
}

/** What the machine goes by: everything that can move a run on, by name. */
export interface RunEvents {
  /** For the first time, or again, in the same instance or another. */
  edge_registered: OfInstance;
  /** Its control stream is open: it can be told things. */
  edge_connected: OfInstance;
  /** Deleted, or deregistered by itself. */
  edge_removed: { readonly edgeId: string };
  /** It has not been heard of for too long. */
  edge_lost: OfInstance & { readonly reason: string };
  acked: AnswerEvent;
  nacked: AnswerEvent & { readonly code: string; readonly reason: string };
  /** What was refused may be well by now. */
  recheck: object;
  progressed: OfInstance & { readonly phase: EdgePhase; readonly reason: string };
  funded: object;
  /** The time of the first transaction, or of the first measured one, has come. */
  load_began: { readonly isWarmup: boolean };
  /** By a person: Completed after what is in flight, or Failed at once. */
  stop_asked: { readonly mode: 'drain' | 'abort' };
  /** By ourselves: the load ends, its result counts. */
  load_cut: { readonly reason: RunReason };
  /** Something without which the run makes no sense. */
  broken: { readonly reason: RunReason };
  /** Edges had time enough to hand over what they hold. */
  settle_timed_out: object;
  verified: object;
  /** All files of the run are whole and listed. */
  concluded: object;
  /** This process has read the state from disk. */
  hive_restarted: object;
}

/** What is learned of a run, by name. It moves nothing by itself. */
export interface LearnedFacts {
  /** The set of edges has a plan; the accounts of each. */
  shared_out: { readonly participants: ReadonlyMap<string, Participant> };
  /** What an edge counts, by its own word. */
  counted: OfInstance & { readonly progress: EdgeProgress };
  /** Of edges whose part goes on: their clocks, and who has not been heard of for a while. */
  watched: {
    readonly clocks: ReadonlyMap<string, ClockOffset>;
    readonly silent: ReadonlySet<string>;
  };
  accounts_funded: { readonly funded: number; readonly count: number };
  /** What the run takes from the funder at most. */
  cost_known: { readonly mostWei: bigint };
  /** What the load asks of each edge, drawn by the hive itself; null in the closed model. */
  schedule_drawn: { readonly schedule: ReadonlyMap<string, readonly PlannedStage[]> | null };
  /** Violations so far, by check; only rise. */
  violated: { readonly counts: Readonly<Record<Check, number>> };
  /** All telemetry has been gone through. */
  judged: { readonly verified: VerifiedRun };
  /** Nothing is measured any more. Outcomes of thresholds: of another process, which knew more. */
  measured: { readonly outcomes?: readonly ThresholdOutcome[] };
  sealed: { readonly parts: readonly PartFile[] };
  found: { readonly finding: RunFinding };
}

export type RunEventName = keyof RunEvents;

type Named<Events> = { [Name in keyof Events]: { readonly type: Name } & Events[Name] }[keyof Events];

export type RunEvent = Named<RunEvents>;

export type RunFact = Named<LearnedFacts>;

/** What a step of the machine wants done, in this order. */
export type RunEffect =
  | { readonly type: 'prepare'; readonly edgeIds: readonly string[] }
  | { readonly type: 'fund' }
  | { readonly type: 'make_ready'; readonly edgeIds: readonly string[] }
  /** `isAgain`: the start was told to others before. */
  | { readonly type: 'start'; readonly edgeIds: readonly string[]; readonly isAgain: boolean }
  | {
      readonly type: 'stop';
      readonly edgeIds: readonly string[];
      readonly isAbort: boolean;
      readonly reason: string;
    }
  | { readonly type: 'verify' }
  | { readonly type: 'conclude' }
  | RunNote;

/** Effects on the run's own record alone. */
type RunNote =
  | { readonly type: 'await_settling' }
  | {
      readonly type: 'member_ended';
      readonly edgeId: string;
      readonly end: MemberEnd;
      readonly reason: string;
    };

/** What is to be done for a run outside of it, in this order. */
export type RunTask =
  | { readonly type: 'save'; readonly isUrgent: boolean }
  | {
      readonly type: 'tell_phase';
      readonly status: RunStatus;
      readonly phase: HiveRunPhase | null;
      readonly reason: RunReason | null;
    }
  | Exclude<RunEffect, RunNote>
  /** After all others. */
  | { readonly type: 'end' };

export type TaskNamed<Type extends RunTask['type']> = Extract<RunTask, { readonly type: Type }>;
