export { FAILURE_REASONS, type FailureReason } from './source/upstream-failure.ts';
export { InvalidProxyConfig } from './config/invalid-proxy-config.ts';
export { type LoadedConfig, type LoadOptions, loadProxyConfig } from './config/load/load-proxy-config.ts';
export type {
  AddressBlock,
  AdminConfig,
  CircuitBreakerConfig,
  ClusterConfig,
  ClusterTls,
  DrainConfig,
  EndpointConfig,
  EngineConfig,
  HashKey,
  HeaderChanges,
  HealthCheckConfig,
  HostPort,
  LbPolicy,
  ListenerConfig,
  ListenerTls,
  OutlierDetectionConfig,
  PemFile,
  ProxyConfig,
  RetryConditions,
  RetryConfig,
  RouteConfig,
  SecretFile,
  StatusRange,
} from './config/proxy-config.ts';
export { EmbeddedProxy, type EmbeddedProxyOptions } from './embedded/embedded-proxy.ts';
export { RequestReader, type RequestReaderOwner } from './http/request-reader.ts';
export { ProxyRunner } from './runner/proxy-runner.ts';
export type {
  ClusterVerdict,
  Explanation,
  Question,
  RouteVerdict,
  TargetVerdict,
} from './source/explanation.ts';
export type {
  BreakerTrippedEvent,
  ConfigReloadEvent,
  EndpointEjectedEvent,
  EndpointHealthEvent,
  EndpointResolvedEvent,
  EndpointReturnedEvent,
  EndpointSwitchedEvent,
  ProxyEvent,
  ServerStateEvent,
  UpstreamFailureEvent,
} from './source/proxy-event.ts';
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
  BreakerRejections,
  CheckSnapshot,
  ClusterSnapshot,
  DurationSnapshot,
  EndpointSnapshot,
  LimitSnapshot,
  ListenerSnapshot,
  ProxySnapshot,
  ReloadCounts,
  RetrySnapshot,
  StatusClass,
  StatusClassCounts,
  TargetSnapshot,
  UpstreamFailureCounts,
} from './source/snapshot.ts';
