import type { HelloWire, PrepareWire, RegisterRequestWire, SampleWire } from '../proto/hive-messages.ts';

/** Who an edge says it is when it registers. */
export type EdgeIdentity = RegisterRequestWire;

/** An edge as the registry knows it. */
export interface EdgeRegistration extends EdgeIdentity {
  /** Higher with each registration of any edge; what comes with an earlier one is refused. */
  readonly fence: number;
  readonly registeredAtUs: number;
  /** Those that this one replaced, the latest last: they do not come back. */
  readonly formerInstances: readonly string[];
}

/** What an edge shows of its registration when it speaks. */
export type EdgeCredential = HelloWire;

/** "Be ready for this run." A later revision of the same run replaces the earlier. */
export type PrepareOrder = Omit<PrepareWire, 'traceparent'> & Partial<Pick<PrepareWire, 'traceparent'>>;

/** Why an edge does not acknowledge. */
export const NACK_CODES = [
  'chain_id_mismatch',
  'rpc_unreachable',
  'feed_unreachable',
  'feed_version',
  'accounts_unfunded',
  'seed_missing',
  'header_missing',
  'plan_invalid',
] as const;

export type NackCode = (typeof NACK_CODES)[number];

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
