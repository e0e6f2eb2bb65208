import type {
  ChangeRateWire,
  HelloWire,
  PrepareWire,
  RegisterRequestWire,
  SampleWire,
} from '../generated/hive-messages.ts';

/** The identity that an edge sends when it registers. */
export type EdgeIdentity = RegisterRequestWire;

/** An edge in the registry. */
export interface EdgeRegistration extends EdgeIdentity {
  /** Increases with each registration of any edge. Messages with an earlier fence are rejected. */
  readonly fence: number;
  readonly registeredAtUs: number;
  /** The instances replaced by this one, the latest last. They are not admitted again. */
  readonly formerInstances: readonly string[];
}

/** The part of its registration that an edge presents when it opens a stream. */
export type EdgeCredential = HelloWire;

/** The order to prepare a run. A later revision of the same run replaces the earlier one. */
export type PrepareOrder = Omit<PrepareWire, 'traceparent'> & Partial<Pick<PrepareWire, 'traceparent'>>;

/** The order to send an edge's share of a rate from a time on, to the end of the load. */
export type RateOrder = ChangeRateWire;

/** The reasons of a `nack`. */
export const NACK_CODES = [
  'chain_id_mismatch',
  'rpc_unreachable',
  'feed_unreachable',
  'feed_version',
  'accounts_unfunded',
  'contract_missing',
  'seed_missing',
  'header_missing',
  'controller_key_missing',
  'express_lane_unavailable',
  'rpc_takes_no_transactions',
  'plan_invalid',
] as const;

export type NackCode = (typeof NACK_CODES)[number];

/** The state that an edge reports every few seconds. */
export interface EdgeHeartbeat {
  /** Chain id 0: not queried yet. */
  readonly rpc: { readonly chainId: number; readonly isOk: boolean };
  readonly feed: { readonly isConnected: boolean; readonly lastSequence: number };
  /** Empty: none. */
  readonly currentRunId: string;
  /** All series of the edge's metrics, which the hive exposes with the label `edge_id`. */
  readonly samples: readonly MetricSample[];
}

export type MetricSample = SampleWire;
