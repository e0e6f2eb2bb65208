import type { BreakerRejection, ServerState } from './snapshot.ts';
import type { FailureReason } from './upstream-failure.ts';

/** Something that happened to the proxy, with the reason where there is one. Plain data. */
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
  /** As the configuration has it. */
  readonly address: string;
}

/** One resolved address passed or failed its active checks for the first time or for long enough. */
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

/** Someone disabled or enabled it. */
export interface EndpointSwitchedEvent extends EndpointEvent<'endpoint_switched'> {
  readonly isEnabled: boolean;
}

/** A name has other addresses than before, or can no longer be resolved: then `fault` says why. */
export interface EndpointResolvedEvent extends EndpointEvent<'endpoint_resolved'> {
  readonly targets: readonly string[];
  readonly fault?: string;
}

/** Told at most once in ten seconds for each limit. */
export interface BreakerTrippedEvent extends EventHead<'breaker_tripped'> {
  readonly cluster: string;
  readonly limit: BreakerRejection;
  readonly max: number;
  /** Since the event before. */
  readonly rejected: number;
}

/** Told at most once in ten seconds for each reason. */
export interface UpstreamFailureEvent extends EventHead<'upstream_failure'> {
  readonly cluster: string;
  readonly reason: FailureReason;
  /** `ip:port`; left out when none was chosen. */
  readonly target?: string;
  /** The system's, or TLS's, own word for it, such as `ECONNREFUSED`. */
  readonly code?: string;
  /** Since the event before. */
  readonly failures: number;
}

/** One of several processes that carry the traffic holds the configuration now, or has ended by itself. */
export interface WorkerStateEvent extends EventHead<'worker_state'> {
  /** From 1. */
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
