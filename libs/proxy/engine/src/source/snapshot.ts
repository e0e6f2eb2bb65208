import type { FailureReason } from './upstream-failure.ts';

/**
 * The states of a proxy, which only advance: bound sockets and a first round of health checks make it LIVE.
 */
export type ServerState = 'PRE_INITIALIZING' | 'INITIALIZING' | 'LIVE' | 'DRAINING';

/**
 * State and counters of a proxy, as plain data. Counters start with the process and never decrease. Values
 * that an engine cannot provide are undefined.
 */
export interface ProxySnapshot {
  readonly state: ServerState;
  readonly uptimeMs: number;
  readonly downstreamCxTotal: number;
  readonly downstreamCxActive: number;
  /** The sum of all of {@link breakerRejections}. */
  readonly circuitBreakerRejected: number;
  /** Listeners in the order of the file. */
  readonly listeners: readonly ListenerSnapshot[];
  /** Listeners that a reload has removed, until their last connection is closed. */
  readonly removedListeners: readonly ListenerSnapshot[];
  readonly clusters: readonly ClusterSnapshot[];
  readonly routeCount: number;
  readonly configReloads: ReloadCounts;
  /** Cut by a drain, or after a reload has removed their listener. */
  readonly drain: { readonly cutConnections: number; readonly cutRequests: number };
  /** Includes clusters removed by reloads, so that the sum never decreases. */
  readonly breakerRejections: readonly BreakerRejections[];
  /** Undefined for a single process. The proxy is LIVE only while each worker serves. */
  readonly workers: readonly WorkerSnapshot[] | undefined;
}

/** One of several processes that carry the traffic. */
export interface WorkerSnapshot {
  /** Number from 1. A replacement has the number of its predecessor. */
  readonly number: number;
  /** Undefined while no process runs. */
  readonly pid: number | undefined;
  /** The process runs, has the configuration, and has responded recently. */
  readonly isServing: boolean;
  /** Processes with this number that ended unexpectedly. */
  readonly exits: number;
  /** Open connections of the current process, as last reported; so are the next two. */
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
  /** The bound `host:port`, with the assigned port where the file has 0. */
  readonly address: string;
  readonly protocol: 'http' | 'tcp';
  readonly cxTotal: number;
  readonly cxActive: number;
  /**
   * Above the listener's `max_connections`, or without a descriptor to spare; not part of {@link cxTotal}.
   */
  readonly cxRefused: number;
  /** Refused connections for which there was no spare descriptor. */
  readonly cxRefusedForDescriptors: number | undefined;
  readonly requestsActive: number | undefined;
  /** Responses sent, including the proxy's own. */
  readonly requestsByClass: StatusClassCounts;
  /** Requests rejected with 400 or 431, and connections that did not speak HTTP. */
  readonly parseErrors: number;
  readonly headerTimeouts: number | undefined;
  readonly idleTimeouts: number | undefined;
  readonly requestTimeouts: number | undefined;
  /** Requests that match no route: 404. */
  readonly unrouted: number | undefined;
  /** Requests whose client disconnected before the response was complete. */
  readonly clientAborts: number | undefined;
  readonly tlsErrors: number | undefined;
  readonly bytesReceived: number;
  readonly bytesSent: number;
}

/** The limits of the circuit breaker. */
export type BreakerLimit = 'max_connections' | 'max_pending_requests' | 'max_requests';

/** The limits, and the share of one client. */
export type BreakerRejection = BreakerLimit | 'max_requests_per_client';

export interface LimitSnapshot {
  readonly used: number | undefined;
  readonly limit: number | undefined;
  /** Rejected by this limit. */
  readonly rejected: number | undefined;
}

export interface BreakerRejections {
  readonly cluster: string;
  readonly rejected: Readonly<Record<BreakerRejection, number>>;
}

/** A retry that is not allowed rejects nothing: the failed response is forwarded. */
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
  /** Endpoints in the order of the file. */
  readonly endpoints: readonly EndpointSnapshot[];
  readonly breaker: Readonly<Record<BreakerLimit, LimitSnapshot>>;
  readonly retries: RetrySnapshot;
  /** Requests and connections for which no endpoint was available. */
  readonly noHealthyEndpoint: number | undefined;
  /**
   * Failed attempts, and requests and connections without a place; undefined when the engine does not report
   * them.
   */
  readonly upstreamFailures: UpstreamFailureCounts | undefined;
  /** Durations of endpoints beyond the first thousand of a proxy, which have none of their own. */
  readonly durations: DurationSnapshot | undefined;
}

/** One endpoint of the file, with all addresses of its name. */
export interface EndpointSnapshot {
  /** The address as written in the file. */
  readonly address: string;
  readonly weight: number;
  /** Any of its addresses is available. */
  readonly healthy: boolean;
  readonly activeRequests: number;
  readonly isDisabled: boolean;
  /** Any of its addresses is ejected. */
  readonly isEjected: boolean | undefined;
  /** The latest end of an ejection, in milliseconds since the Unix epoch; undefined when none is ejected. */
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
  /** Connections established, without those of checks. */
  readonly connectionsTotal: number | undefined;
  readonly connectionsActive: number | undefined;
  /** Open connections that are idle, kept for the next request. */
  readonly connectionsIdle: number | undefined;
  /** Requests sent on a reused connection. */
  readonly connectionsReused: number | undefined;
  /** Undefined when the cluster shares it among endpoints. */
  readonly durations: DurationSnapshot | undefined;
  /** The resolved addresses. */
  readonly targets: readonly TargetSnapshot[];
  /** The error of the last resolution, if it failed. */
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

/** Durations of requests, from the choice of an endpoint to the end of the response. */
export interface DurationSnapshot {
  /** Cumulative, with ascending upper bounds; values above the last bound are only in {@link count}. */
  readonly buckets: readonly { readonly leSeconds: number; readonly count: number }[];
  readonly count: number;
  readonly sumSeconds: number;
  /** Median over the last one to two minutes; undefined without requests. */
  readonly p50Ms: number | undefined;
  readonly p90Ms: number | undefined;
  readonly p99Ms: number | undefined;
  /**
   * The source of the quantiles: pairs of a fine bucket and its count, which can be added to others.
   * Undefined when the engine does not provide it.
   */
  readonly recent?: readonly number[] | undefined;
}
