import type { PrepareWire } from '../proto/hive-messages.ts';

/** "Be ready for this run." A later revision of the same run replaces the earlier. */
export type PrepareOrder = PrepareWire;

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
