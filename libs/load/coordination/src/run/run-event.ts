import type { EdgePhase } from '#load/protocol';
import type { MemberEnd, RunReason } from '../record/run-state.ts';

interface OfInstance {
  readonly edgeId: string;
  readonly instanceId: string;
}

interface AnswerEvent extends OfInstance {
  readonly revision: number;
}

/** Everything that can happen to a run, by name. */
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

export type RunEventName = keyof RunEvents;

export type RunEvent = { [Name in RunEventName]: { readonly type: Name } & RunEvents[Name] }[RunEventName];

/** What is to be done after a step, in this order. */
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
  | { readonly type: 'await_settling' }
  | { readonly type: 'verify' }
  | { readonly type: 'conclude' }
  | {
      readonly type: 'member_ended';
      readonly edgeId: string;
      readonly end: MemberEnd;
      readonly reason: string;
    };
