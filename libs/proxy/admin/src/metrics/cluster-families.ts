import {
  type BreakerLimit,
  type BreakerRejection,
  type ClusterSnapshot,
  type ProxySnapshot,
  FAILURE_REASONS,
} from '#proxy/engine';
import type { Emit } from './exposition.ts';
import { counter, gauge, histogram, type MetricFamily } from './metric-family.ts';

const CLUSTER = ['cluster'];
const LIMITS: readonly BreakerLimit[] = ['max_connections', 'max_pending_requests', 'max_requests'];

const REJECTIONS: readonly BreakerRejection[] = [...LIMITS, 'max_requests_per_client'];

export const CLUSTER_FAMILIES: readonly MetricFamily[] = [
  counter(
    [
      'cluster_circuit_breaker_rejected_total',
      'Requests and connections refused because this limit was reached; their sum is circuit_breaker_rejected',
    ],
    [...CLUSTER, 'reason'],
    ({ breakerRejections }, emit) => {
      for (const { cluster, rejected } of breakerRejections) {
        for (const reason of REJECTIONS) emit(rejected[reason], cluster, reason);
      }
    },
  ),
  gauge(
    ['cluster_circuit_breaker_remaining', 'Remaining capacity of a limit'],
    [...CLUSTER, 'limit'],
    ({ clusters }, emit) => {
      for (const { name, breaker, retries } of clusters) {
        for (const limit of LIMITS) emit(remaining(breaker[limit].limit, breaker[limit].used), name, limit);
        emit(remaining(retries.limit, retries.active), name, 'max_retries');
      }
    },
  ),
  gauge(
    ['cluster_endpoints', 'Endpoints'],
    CLUSTER,
    each(({ endpoints }) => endpoints.length),
  ),
  gauge(
    ['cluster_endpoints_healthy', 'Endpoints available for requests'],
    CLUSTER,
    each(({ endpoints }) => endpoints.filter(({ healthy }) => healthy).length),
  ),
  counter(
    ['cluster_no_healthy_endpoint_total', 'Requests and connections without a healthy endpoint'],
    CLUSTER,
    each((cluster) => cluster.noHealthyEndpoint),
  ),
  counter(
    [
      'cluster_upstream_failures_total',
      'Failed attempts at the upstream, and requests and connections without an endpoint, by reason',
    ],
    [...CLUSTER, 'reason'],
    ({ clusters }, emit) => {
      for (const { name, upstreamFailures } of clusters) {
        for (const reason of FAILURE_REASONS) emit(upstreamFailures?.[reason], name, reason);
      }
    },
  ),
  counter(
    ['cluster_retries_total', 'Retries made, and attempts at another endpoint after a failed connection'],
    CLUSTER,
    each(({ retries }) => retries.made),
  ),
  counter(
    ['cluster_retries_skipped_total', 'Retries not made because of max_retries or the budget'],
    [...CLUSTER, 'reason'],
    ({ clusters }, emit) => {
      for (const { name, retries } of clusters) {
        emit(retries.overLimit, name, 'max_retries');
        emit(retries.overBudget, name, 'budget');
      }
    },
  ),
  histogram(
    [
      'cluster_request_duration_seconds',
      'From the selection of an endpoint to the end of the response, for endpoints beyond the first thousand',
    ],
    CLUSTER,
    ({ clusters }, emit) => {
      for (const { name, durations } of clusters) if (durations !== undefined) emit(durations, name);
    },
  ),
];

/** The unused part of a limit; 0 if a reload has lowered the limit below current use. */
function remaining(limit: number | undefined, used: number | undefined): number | undefined {
  return limit === undefined || used === undefined ? undefined : Math.max(0, limit - used);
}

function each(
  value: (cluster: ClusterSnapshot) => number | undefined,
): (snapshot: ProxySnapshot, emit: Emit) => void {
  return ({ clusters }, emit) => {
    for (const cluster of clusters) emit(value(cluster), cluster.name);
  };
}
