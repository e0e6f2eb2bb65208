export { openServingTls, ServingTls, tlsOptions } from './serving-tls.ts';
export {
  assertUsable,
  readServerTls,
  readTlsMaterial,
  type ServerTls,
  tlsBuffers,
  type TlsMaterial,
  validityFault,
  withoutAuthority,
} from './tls-material.ts';
export { tlsMetric } from './tls-metric.ts';
export { trustAuthority } from './trust.ts';
