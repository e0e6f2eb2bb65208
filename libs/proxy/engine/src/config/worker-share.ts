import type { CircuitBreakerConfig, ProxyConfig } from './proxy-config.ts';

/** Index of the worker: 0 to `count` - 1. */
export interface WorkerPlace {
  readonly index: number;
  readonly count: number;
}

/**
 * The configuration of one of several workers: each limit is divided, so that all workers together keep it. A
 * client's connections may be spread over several workers, so its share is rounded up.
 */
export function workerShare(config: ProxyConfig, place: WorkerPlace): ProxyConfig {
  return {
    ...config,
    listeners: config.listeners.map((listener) => {
      return { ...listener, maxConnections: shareOf(listener.maxConnections, place) };
    }),
    clusters: config.clusters.map((cluster) => {
      return { ...cluster, circuitBreaker: breakerShare(cluster.circuitBreaker, place) };
    }),
  };
}

function breakerShare(limits: CircuitBreakerConfig, place: WorkerPlace): CircuitBreakerConfig {
  const { maxConnections, maxPendingRequests, maxRequests, maxRetries, maxRequestsPerClient } = limits;
  return {
    maxConnections: shareOf(maxConnections, place),
    maxRequests: shareOf(maxRequests, place),
    maxPendingRequests: shareOf(maxPendingRequests, place),
    maxRetries: shareOf(maxRetries, place),
    maxRequestsPerClient:
      maxRequestsPerClient === undefined ? undefined : Math.ceil(maxRequestsPerClient / place.count),
  };
}

/** The sum over all workers is `limit`, but each has at least 1 of a nonzero limit. */
function shareOf(limit: number, { index, count }: WorkerPlace): number {
  const share = Math.floor(limit / count) + (index < limit % count ? 1 : 0);
  return limit === 0 ? 0 : Math.max(1, share);
}
