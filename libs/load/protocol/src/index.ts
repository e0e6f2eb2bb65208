export { HiveClient } from './client/hive-client.ts';
export type {
  BatchTally,
  HiveClientOptions,
  HiveOrders,
  HiveUplink,
  LinkEvents,
  TelemetryBatch,
} from './client/hive-link.ts';
export { ClockEstimate, type ClockExchange, type ClockOffset, systemNowUs } from './wire/clock-probing.ts';
export {
  type EdgeHeartbeat,
  type MetricSample,
  type EdgeIdentity,
  type EdgeCredential,
  type EdgeRegistration,
  NACK_CODES,
  type NackCode,
  type PrepareOrder,
} from './wire/edge-registration.ts';
export {
  EDGE_PHASES,
  type EdgePhase,
  type EdgeProgress,
  type Tally,
  ZERO_TALLY,
} from './wire/edge-progress.ts';
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
export { readTlsMaterial, assertUsable, type TlsMaterial } from './tls/tls-material.ts';
export type { RefusedHandshake } from './tls/tls-listener.ts';
