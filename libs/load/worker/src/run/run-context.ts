import type { EventBuffer } from '#load/telemetry';
import type { MicroClock } from '#platform/foundation';
import type { Log, PhaseTrace } from '#platform/observability';
import type { LoadCounters } from '../ledger/tally.ts';
import type { LoadTarget } from './load-target.ts';

/** What a run is given. */
export interface LoadRunOptions {
  /** Closed with the run. */
  readonly target: LoadTarget;
  /** Takes what is measured; whoever owns it hands it on while the run goes on. */
  readonly events: EventBuffer;
  /** Of all runs of the edge. */
  readonly counters: LoadCounters;
  readonly log: Log;
  readonly limits: LoadLimits;
  /** Ended with the run. */
  readonly trace?: PhaseTrace;
}

export interface LoadLimits {
  /** Threads that sign. */
  readonly signers: number;
  /** Transactions that may be unanswered at one time, each on a connection. */
  readonly connections: number;
}

/** What all parts of a run share. */
export interface RunContext extends LoadRunOptions {
  readonly clock: MicroClock;
}
