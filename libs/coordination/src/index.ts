export type { EdgeHeartbeat, MetricSample } from './edge/edge-heartbeat.ts';
export type { EdgeIdentity } from './edge/edge-identity.ts';
export {
  EDGE_PHASES,
  type EdgePhase,
  type EdgeProgress,
  type Tally,
  ZERO_TALLY,
} from './run/edge-progress.ts';
export { NACK_CODES, type NackCode, type PrepareOrder } from './run/prepare-order.ts';
