import type { EventBuffer } from '#load/telemetry';
import type { MicroClock, Secret } from '#platform/foundation';
import type { Log, PhaseTrace } from '#platform/observability';
import type { LoadCounters } from '../ledger/tally.ts';
import type { EdgePlan } from '../plan/edge-plan.ts';
import type { Environment } from '../plan/target-headers.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';

/** What a run is given. */
export interface LoadRunOptions {
  readonly plan: EdgePlan;
  /** Of the edge: what the plan names of seed and headers is there, or it is refused. */
  readonly environment: Environment;
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
export interface RunContext extends Omit<LoadRunOptions, 'environment'> {
  readonly seed: Secret;
  /** `plan.headers` with the values of the environment. */
  readonly headers: Readonly<Record<string, string>>;
  /** For everything but the load itself; one server at a time, so that answers agree with each other. */
  readonly rpc: JsonRpc;
  readonly clock: MicroClock;
}
