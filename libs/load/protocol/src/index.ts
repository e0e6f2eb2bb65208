export { HiveClient } from './client/hive-client.ts';
export type {
  HiveClientOptions,
  HiveOrders,
  HiveUplink,
  LinkEvents,
  TelemetryBatch,
} from './client/hive-link.ts';
export { type ClockOffset, systemNowUs } from './wire/clock-probing.ts';
export type {
  EdgeHeartbeat,
  MetricSample,
  EdgeIdentity,
  EdgeCredential,
  EdgeRegistration,
  NackCode,
  PrepareOrder,
  RateOrder,
} from './wire/edge-registration.ts';
export { RATES_MAX } from './wire/edge-wire.ts';
export {
  EDGE_PHASES,
  type EdgePhase,
  type EdgeProgress,
  type RateApplied,
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
export { HIVE_METHODS, HiveGrpcServer, type HiveGrpcServerOptions } from './server/hive-grpc-server.ts';
export { HiveGrpcController } from './server/hive-grpc.controller.ts';
