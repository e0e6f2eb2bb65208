import type { BreakerRejection, ServerState } from './snapshot.ts';
import type { FailureReason } from './upstream-failure.ts';

/** An event of the proxy, with its reason if any. Plain data. */
export type ProxyEvent =
  | EndpointHealthEvent
  | EndpointEjectedEvent
  | EndpointReturnedEvent
  | EndpointSwitchedEvent
  | EndpointResolvedEvent
  | BreakerTrippedEvent
  | UpstreamFailureEvent
  | WorkerStateEvent
  | ConfigReloadEvent
  | ServerStateEvent;

interface EventHead<Type extends string> {
  readonly type: Type;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

interface EndpointEvent<Type extends string> extends EventHead<Type> {
  readonly cluster: string;
  /** The address in the configuration. */
  readonly address: string;
}

/** A resolved address passed or failed its active checks, for the first time or often enough. */
export interface EndpointHealthEvent extends EndpointEvent<'endpoint_health'> {
  /** `ip:port`. */
  readonly target: string;
  readonly healthy: boolean;
  readonly reason: string;
}

export interface EndpointEjectedEvent extends EndpointEvent<'endpoint_ejected'> {
  readonly target: string;
  readonly untilMs: number;
  readonly reason: string;
}

/** The end of an ejection. */
export interface EndpointReturnedEvent extends EndpointEvent<'endpoint_returned'> {
  readonly target: string;
}

/** An operator disabled or enabled the endpoint. */
export interface EndpointSwitchedEvent extends EndpointEvent<'endpoint_switched'> {
  readonly isEnabled: boolean;
}

/** A name resolves to other addresses, or cannot be resolved: then `fault` is the reason. */
export interface EndpointResolvedEvent extends EndpointEvent<'endpoint_resolved'> {
  readonly targets: readonly string[];
  readonly fault?: string;
}

/** Emitted at most once in ten seconds for each limit. */
export interface BreakerTrippedEvent extends EventHead<'breaker_tripped'> {
  readonly cluster: string;
  readonly limit: BreakerRejection;
  readonly max: number;
  /** Number since the previous event. */
  readonly rejected: number;
}

/** Emitted at most once in ten seconds for each reason. */
export interface UpstreamFailureEvent extends EventHead<'upstream_failure'> {
  readonly cluster: string;
  readonly reason: FailureReason;
  /** `ip:port`; missing when no target was chosen. */
  readonly target?: string;
  /** The error code of the system or of TLS, such as `ECONNREFUSED`. */
  readonly code?: string;
  /** Number since the previous event. */
  readonly failures: number;
}

/** A worker process has activated its configuration, or has ended unexpectedly. */
export interface WorkerStateEvent extends EventHead<'worker_state'> {
  /** Number of the worker, from 1. */
  readonly worker: number;
  /** Undefined when it has ended. */
  readonly pid: number | undefined;
  readonly isServing: boolean;
  readonly reason: string;
}

export interface ConfigReloadEvent extends EventHead<'config_reload'> {
  readonly result: 'applied' | 'rejected' | 'unchanged';
  readonly faults: readonly string[];
}

export interface ServerStateEvent extends EventHead<'server_state'> {
  readonly state: ServerState;
}
