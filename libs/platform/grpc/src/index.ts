export { admitCalls } from './call/admit-calls.ts';
export { CallErrorFilter } from './call/call-error.filter.ts';
export { type ArrivingCall, CallGate } from './call/call-gate.ts';
export { CALL_METRICS, CallMetrics } from './call/call-metrics.ts';
export { grpcStatusOf } from './call/grpc-status.ts';
export { measured, sizeOf, utf8Only } from './call/measured-messages.ts';
export { callEnded, callerOfCall, openCallOf } from './call/open-call.ts';
export { methodRequirements } from './server/method-requirements.ts';
export { reflected } from './server/reflected.ts';
export { BoundGrpcServer, type GrpcListenOptions } from './server/bound-grpc-server.ts';
export { type RefusedHandshake, TlsRefusals } from './server/tls-listener.ts';
export {
  assertUsable,
  readServerTls,
  readTlsMaterial,
  type ServerTls,
  type TlsMaterial,
  validityFault,
} from '#platform/tls';
