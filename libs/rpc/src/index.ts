export { HiveClient } from './client/hive-client.ts';
export type {
  BatchTally,
  HiveClientOptions,
  HiveOrders,
  HiveUplink,
  LinkEvents,
  TelemetryBatch,
} from './client/hive-link.ts';
export {
  type EdgeAnswer,
  type EdgeChannel,
  EdgeDesk,
  type EdgeListener,
  type EdgeRefusal,
  type ReceivedBatch,
} from './server/edge-desk.port.ts';
export { HiveGrpcController } from './server/hive-grpc.controller.ts';
export { HiveGrpcServer, type HiveGrpcServerOptions } from './server/hive-grpc-server.ts';
export { readTlsMaterial } from './tls/read-tls-material.ts';
export { assertUsable, type TlsMaterial } from './tls/tls-material.ts';
export type { RefusedHandshake } from './tls/tls-listener.ts';
export { systemNowUs } from './wire/clock-probing.ts';
