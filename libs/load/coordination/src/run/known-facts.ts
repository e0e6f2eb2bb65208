import type { Check } from '#load/oracle';
import type { ClockOffset, EdgeProgress } from '#load/protocol';
import type { RunFinding } from '#load/report';
import type { ThresholdOutcome } from '#load/scenario';
import type { PartFile } from '#load/telemetry';
import type { ContractsMade, RateChange } from '#load/worker';
import type { RunState } from '../record/run-state.ts';
import type { RunTimeline } from '../record/run-timeline.ts';
import type { VerifiedRun } from '../telemetry/telemetry-messages.ts';
import type { LearnedFacts, Participant } from './run-event.ts';

/** What is known of a run beside its state. */
export interface KnownFacts {
  /** The intended time of the first transaction; null before the start order. */
  readonly startedAtUs: number | null;
  /** The changes of the rate of all edges, in the order of their times. */
  readonly rates: readonly RateChange[];
  readonly endedAtUs: number | null;
  /** The start of the settling time of a failed run. */
  readonly settlingSinceUs: number | null;
  readonly timeline: RunTimeline | null;
  readonly participants: ReadonlyMap<string, Participant>;
  readonly clocks: ReadonlyMap<string, ClockOffset>;
  readonly findings: readonly RunFinding[];
  readonly violations: Readonly<Record<Check, number>>;
  readonly funded: LearnedFacts['accounts_funded'] | null;
  /** The highest possible cost of the run. */
  readonly mostWei: bigint | null;
  /** The edges without contact for some time that are not yet lost. */
  readonly silent: ReadonlySet<string>;
  readonly parts: readonly PartFile[];
  /** The threshold outcomes; null before measuring is over. */
  readonly outcomes: readonly ThresholdOutcome[] | null;
  /** The contracts of the run, once they are created. */
  readonly made: ContractsMade | null;
  /** Null before the oracle has processed all telemetry. */
  readonly verified: VerifiedRun | null;
}

/** The data of a run left by another process. */
export interface RunRemains extends Pick<
  KnownFacts,
  'startedAtUs' | 'rates' | 'participants' | 'clocks' | 'findings'
> {
  readonly state: RunState;
  readonly progress: ReadonlyMap<string, EdgeProgress>;
}

/** What is known of a new run. */
export const NOTHING_KNOWN: KnownFacts = {
  startedAtUs: null,
  rates: [],
  endedAtUs: null,
  settlingSinceUs: null,
  timeline: null,
  participants: new Map(),
  clocks: new Map(),
  findings: [],
  violations: { nonce: 0, balance: 0, gas: 0 },
  funded: null,
  mostWei: null,
  silent: new Set(),
  parts: [],
  outcomes: null,
  made: null,
  verified: null,
};
