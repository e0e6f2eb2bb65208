import type { EventBuffer } from '#load/telemetry';
import type { MicroClock } from '#platform/foundation';
import type { Log, PhaseTrace } from '#platform/observability';
import type { LoadCounters } from '../ledger/tally.ts';
import type { LoadTarget } from './load-target.ts';

/** The inputs of a run. */
export interface LoadRunOptions {
  /** Closed with the run. */
  readonly target: LoadTarget;
  /** The buffer of the measured events; its owner sends them during the run. */
  readonly events: EventBuffer;
  /** Counters of all runs of the edge. */
  readonly counters: LoadCounters;
  readonly log: Log;
  readonly limits: LoadLimits;
  /** Ended with the run. */
  readonly trace?: PhaseTrace;
}

export interface LoadLimits {
  /** Threads that sign. */
  readonly signers: number;
  /** Maximum number of unanswered transactions, each on its own connection. */
  readonly connections: number;
}

/** The context shared by all parts of a run. */
export interface RunContext extends LoadRunOptions {
  readonly clock: MicroClock;
}
