export { HiveClient } from './client/hive-client.ts';
export type {
  BatchTally,
  HiveClientOptions,
  HiveOrders,
  HiveUplink,
  LinkEvents,
  TelemetryBatch,
} from './client/hive-link.ts';
export { ClockEstimate, type ClockExchange, type ClockOffset } from './edge/clock-estimate.ts';
export type { EdgeHeartbeat, MetricSample } from './edge/edge-heartbeat.ts';
export type { EdgeIdentity } from './edge/edge-registration.ts';
export {
  EDGE_PHASES,
  type EdgePhase,
  type EdgeProgress,
  type Tally,
  ZERO_TALLY,
} from './edge/edge-progress.ts';
export type { EdgeCredential, EdgeRegistration } from './edge/edge-registration.ts';
export { NACK_CODES, type NackCode, type PrepareOrder } from './edge/prepare-order.ts';
export {
  type EdgeAnswer,
  type EdgeChannel,
  EdgeGateway,
  type EdgeListener,
  type EdgeRefusal,
  type ReceivedBatch,
} from './server/edge-gateway.port.ts';
export { HiveGrpcServer, type HiveGrpcServerOptions } from './server/hive-grpc-server.ts';
export { HiveGrpcController } from './server/hive-grpc.controller.ts';
export { readTlsMaterial } from './tls/read-tls-material.ts';
export type { RefusedHandshake } from './tls/tls-listener.ts';
export { assertUsable, type TlsMaterial } from './tls/tls-material.ts';
export { systemNowUs } from './wire/clock-probing.ts';
