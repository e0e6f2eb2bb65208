export { CallErrorFilter } from './call/call-error.filter.ts';
export { type CallFailure, ERROR_TRAILER } from './call/call-failure.ts';
export { type ArrivingCall, CallGate, type CallRules } from './call/call-gate.ts';
export { CallMetrics } from './call/call-metrics.ts';
export { grpcStatusOf } from './call/grpc-status.ts';
export { OpenCall, openCallOf } from './call/open-call.ts';
export {
  BoundGrpcServer,
  type BoundGrpcServerOptions,
  type GrpcListenOptions,
} from './server/bound-grpc-server.ts';
export type { RefusedHandshake } from './tls/tls-listener.ts';
export {
  assertUsable,
  readServerTls,
  readTlsMaterial,
  type ServerTls,
  type TlsMaterial,
  validityFault,
} from './tls/tls-material.ts';
export { TlsRefusals } from './tls/tls-refusals.ts';
