import type { SampleWire } from '../proto/hive-messages.ts';

/** What an edge says of itself every few seconds. */
export interface EdgeHeartbeat {
  /** Chain id 0: not asked yet. */
  readonly rpc: { readonly chainId: number; readonly isOk: boolean };
  readonly feed: { readonly isConnected: boolean; readonly lastSequence: number };
  /** Empty: none. */
  readonly currentRunId: string;
  /** Every series of the edge's metrics, so that the hive can show them with the label `edge_id`. */
  readonly samples: readonly MetricSample[];
}

export type MetricSample = SampleWire;
