import type { FailureReason } from './upstream-failure.ts';

/** The life of a proxy, forward only: bound sockets and a first round of health checks make it LIVE. */
export type ServerState = 'PRE_INITIALIZING' | 'INITIALIZING' | 'LIVE' | 'DRAINING';

/**
 * What a proxy is and has counted, as plain data. Counters start with the process and never fall. What an
 * engine cannot know is undefined.
 */
export interface ProxySnapshot {
  readonly state: ServerState;
  readonly uptimeMs: number;
  readonly downstreamCxTotal: number;
  readonly downstreamCxActive: number;
  /** The sum of all of {@link breakerRejections}. */
  readonly circuitBreakerRejected: number;
  /** In the order of the file. */
  readonly listeners: readonly ListenerSnapshot[];
  readonly clusters: readonly ClusterSnapshot[];
  readonly routeCount: number;
  readonly configReloads: ReloadCounts;
  readonly drain: { readonly cutConnections: number; readonly cutRequests: number };
  /** Of clusters that reloads have taken away too, so that the sum never falls. */
  readonly breakerRejections: readonly BreakerRejections[];
  /** Undefined where one process carries the traffic. The proxy is LIVE only while each one serves. */
  readonly workers: readonly WorkerSnapshot[] | undefined;
}

/** One of several processes that carry the traffic. */
export interface WorkerSnapshot {
  /** From 1. A process that takes the place of another one has its number. */
  readonly number: number;
  /** Undefined while there is none. */
  readonly pid: number | undefined;
  /** It runs, holds the configuration, and has answered lately. */
  readonly isServing: boolean;
  /** Processes that had this number and ended by themselves. */
  readonly exits: number;
  /** Of the process of now, as it was last told. */
  readonly cxActive: number;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

export interface ReloadCounts {
  readonly applied: number;
  readonly rejected: number;
  readonly unchanged: number;
}

export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx';
export type StatusClassCounts = Readonly<Record<StatusClass, number>>;

export interface ListenerSnapshot {
  readonly name: string;
  /** `host:port` as it is bound, with the port that was given where the file says 0. */
  readonly address: string;
  readonly protocol: 'http' | 'tcp';
  readonly cxTotal: number;
  readonly cxActive: number;
  /** Over the listener's `max_connections`, or without a descriptor to spare; not part of {@link cxTotal}. */
  readonly cxRefused: number;
  /** Of these, without a descriptor to spare. */
  readonly cxRefusedForDescriptors: number | undefined;
  readonly requestsActive: number | undefined;
  /** Answers sent, our own among them. */
  readonly requestsByClass: StatusClassCounts;
  /** Requests refused with 400 or 431, connections that spoke no HTTP. */
  readonly parseErrors: number;
  readonly headerTimeouts: number | undefined;
  readonly idleTimeouts: number | undefined;
  readonly requestTimeouts: number | undefined;
  /** Requests that no route takes: 404. */
  readonly unrouted: number | undefined;
  /** Requests whose client hung up before the answer was whole. */
  readonly clientAborts: number | undefined;
  readonly tlsErrors: number | undefined;
  readonly bytesReceived: number;
  readonly bytesSent: number;
}

/** The limits whose overrun refuses a request or connection. */
export type BreakerLimit = 'max_connections' | 'max_pending_requests' | 'max_requests';

/** Beside them, the share of one client. */
export type BreakerRejection = BreakerLimit | 'max_requests_per_client';

export interface LimitSnapshot {
  readonly used: number | undefined;
  readonly limit: number | undefined;
  /** Refused because of it. */
  readonly rejected: number | undefined;
}

export interface BreakerRejections {
  readonly cluster: string;
  readonly rejected: Readonly<Record<BreakerRejection, number>>;
}

/** A retry that is not made refuses nothing: the answer that asked for it is passed on. */
export interface RetrySnapshot {
  readonly active: number | undefined;
  /** The breaker's `max_retries`. */
  readonly limit: number | undefined;
  readonly made: number;
  readonly overLimit: number | undefined;
  readonly overBudget: number | undefined;
}

export type UpstreamFailureCounts = Readonly<Record<FailureReason, number>>;

export interface ClusterSnapshot {
  readonly name: string;
  readonly lbPolicy: string;
  /** In the order of the file. */
  readonly endpoints: readonly EndpointSnapshot[];
  readonly breaker: Readonly<Record<BreakerLimit, LimitSnapshot>>;
  readonly retries: RetrySnapshot;
  /** Requests and connections for which no endpoint was available. */
  readonly noHealthyEndpoint: number | undefined;
  /** Failed tries, and requests and connections without a place; undefined where the engine cannot tell. */
  readonly upstreamFailures: UpstreamFailureCounts | undefined;
  /** The requests of endpoints beyond the first thousand of a proxy, which have none of their own. */
  readonly durations: DurationSnapshot | undefined;
}

/** One endpoint of the file, whatever its name resolves to. */
export interface EndpointSnapshot {
  /** As the file has it. */
  readonly address: string;
  readonly weight: number;
  /** Any of its addresses is available. */
  readonly healthy: boolean;
  readonly activeRequests: number;
  readonly isDisabled: boolean;
  /** Any of its addresses is ejected. */
  readonly isEjected: boolean | undefined;
  /** Milliseconds since the Unix epoch, the latest; undefined when none is ejected. */
  readonly ejectedUntilMs: number | undefined;
  readonly ejections: number | undefined;
  /** The latest active check of any of its addresses. */
  readonly lastCheck: CheckSnapshot | undefined;
  readonly requestsTotal: number;
  readonly requestsByClass: StatusClassCounts;
  readonly connectFailures: number;
  readonly resets: number;
  readonly timeouts: number | undefined;
  readonly clientAborts: number;
  readonly checksPassed: number | undefined;
  readonly checksFailed: number;
  /** Connections to it that came about, those of checks not among them. */
  readonly connectionsTotal: number | undefined;
  readonly connectionsActive: number | undefined;
  /** Of the active ones, those that are kept for the next request. */
  readonly connectionsIdle: number | undefined;
  /** Requests that were given a kept connection. */
  readonly connectionsReused: number | undefined;
  /** Undefined where the cluster keeps it for many. */
  readonly durations: DurationSnapshot | undefined;
  /** What the address resolves to. */
  readonly targets: readonly TargetSnapshot[];
  /** Why the name could not be resolved the last time. */
  readonly resolveFault: string | undefined;
}

export interface TargetSnapshot {
  /** `ip:port`. */
  readonly address: string;
  readonly healthy: boolean;
  readonly activeRequests: number;
  readonly isEjected: boolean | undefined;
  readonly ejectedUntilMs: number | undefined;
  readonly consecutive5xx: number | undefined;
  readonly consecutiveConnectFailures: number | undefined;
  readonly lastCheck: CheckSnapshot | undefined;
}

export interface CheckSnapshot {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly result: 'passed' | 'failed';
  readonly latencyMs: number;
  readonly reason: string;
  /** Checks in a row with this result. */
  readonly streak: number | undefined;
}

/** How long requests took, from the choice of an endpoint to the end of the answer. */
export interface DurationSnapshot {
  /** Cumulative, with ascending upper bounds; what lies above the last bound is only in {@link count}. */
  readonly buckets: readonly { readonly leSeconds: number; readonly count: number }[];
  readonly count: number;
  readonly sumSeconds: number;
  /** Of the last one to two minutes; undefined when there were no requests. */
  readonly p50Ms: number | undefined;
  readonly p90Ms: number | undefined;
  readonly p99Ms: number | undefined;
  /**
   * What the quantiles are read from: pairs of a fine bucket and its count, to be added to those of others.
   * Undefined where an engine does not tell.
   */
  readonly recent?: readonly number[] | undefined;
}
