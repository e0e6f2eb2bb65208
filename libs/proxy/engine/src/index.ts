export { FAILURE_REASONS, type FailureReason } from './source/upstream-failure.ts';
export { type LoadedConfig, loadProxyConfig } from './config/load/load-proxy-config.ts';
export type { AdminConfig, DrainConfig, HostPort, ProxyConfig } from './config/proxy-config.ts';
export { EmbeddedProxy } from './embedded/embedded-proxy.ts';
export { RequestReader, type RequestReaderOwner } from './http/request-reader.ts';
export { ProxyRunner, warnOf } from './runner/proxy-runner.ts';
export type { Explanation, Question } from './source/explanation.ts';
export type { ProxyEvent } from './source/proxy-event.ts';
export {
  type DrainResult,
  type EndpointChange,
  ProxySource,
  type ReloadResult,
} from './source/proxy-source.port.ts';
export type { ServerState } from './source/snapshot.ts';
export type {
  BreakerLimit,
  BreakerRejection,
  CheckSnapshot,
  ClusterSnapshot,
  DurationSnapshot,
  EndpointSnapshot,
  ListenerSnapshot,
  ProxySnapshot,
  StatusClassCounts,
  TargetSnapshot,
  WorkerSnapshot,
} from './source/snapshot.ts';
