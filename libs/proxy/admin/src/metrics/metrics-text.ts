import type { ProxySnapshot } from '#proxy/engine';
import { CLUSTER_FAMILIES } from './cluster-families.ts';
import { ENDPOINT_FAMILIES } from './endpoint-families.ts';
import { Exposition } from './exposition.ts';
import { LISTENER_FAMILIES } from './listener-families.ts';
import { counter, gauge, type MetricFamily } from './metric-family.ts';
import { WORKER_FAMILIES } from './worker-families.ts';

/** Families of the proxy as a whole. */
const WHOLE_PROXY_FAMILIES: readonly MetricFamily[] = [
  gauge(['uptime_seconds', 'Seconds since the proxy was started'], [], (snapshot, emit) =>
    emit(snapshot.uptimeMs / 1_000),
  ),
  gauge(['config_listeners', 'Listeners of the configuration in force'], [], (snapshot, emit) =>
    emit(snapshot.listeners.length),
  ),
  gauge(['config_clusters', 'Clusters of the configuration in force'], [], (snapshot, emit) =>
    emit(snapshot.clusters.length),
  ),
  gauge(['config_routes', 'Routes of the configuration in force'], [], (snapshot, emit) =>
    emit(snapshot.routeCount),
  ),
  counter(
    ['config_reloads_total', 'Reloads of the configuration, by result'],
    ['result'],
    ({ configReloads: { applied, rejected, unchanged } }, emit) => {
      emit(applied, 'applied');
      emit(rejected, 'rejected');
      emit(unchanged, 'unchanged');
    },
  ),
  counter(
    [
      'drain_cut_connections_total',
      'Connections still open at drain.timeout of a drain, or of the removal of their listener',
    ],
    [],
    (snapshot, emit) => emit(snapshot.drain.cutConnections),
  ),
  counter(
    [
      'drain_cut_requests_total',
      'Requests still unanswered at drain.timeout of a drain, or of the removal of their listener',
    ],
    [],
    (snapshot, emit) => emit(snapshot.drain.cutRequests),
  ),
];

/** The four specified families: first on the page, without labels, present from the start. */
const SPECIFIED_FAMILIES: readonly MetricFamily[] = [
  counter(['downstream_cx_total', 'Total downstream connections accepted'], [], (snapshot, emit) =>
    emit(snapshot.downstreamCxTotal),
  ),
  gauge(['downstream_cx_active', 'Active downstream connections'], [], (snapshot, emit) =>
    emit(snapshot.downstreamCxActive),
  ),
  counter(
    [
      'circuit_breaker_rejected',
      'Circuit breaker rejections: requests and connections refused because a limit of their cluster was ' +
        'reached. Always 0 with the haproxy engine, which does not count them',
    ],
    [],
    (snapshot, emit) => emit(snapshot.circuitBreakerRejected),
  ),
  gauge(['server_live', 'Liveness: 1 while GET /ready answers 200'], [], (snapshot, emit) =>
    emit(Number(snapshot.state === 'LIVE')),
  ),
];

/** Families that a proxy of a single process has too. */
const PROXY_FAMILIES: readonly MetricFamily[] = [
  ...SPECIFIED_FAMILIES,
  ...WHOLE_PROXY_FAMILIES,
  ...LISTENER_FAMILIES,
  ...CLUSTER_FAMILIES,
  ...ENDPOINT_FAMILIES,
];

/** All families of the proxy, in the order of the page. */
export const METRIC_FAMILIES: readonly MetricFamily[] = [...PROXY_FAMILIES, ...WORKER_FAMILIES];

/**
 * The proxy's part of the page, from one snapshot, so that sums are consistent. A family may have no samples.
 */
export function metricsText(snapshot: ProxySnapshot): string {
  const page = new Exposition();
  for (const family of snapshot.workers === undefined ? PROXY_FAMILIES : METRIC_FAMILIES) {
    if (family.type === 'histogram') family.read(snapshot, page.histograms(family));
    else family.read(snapshot, page.samples(family));
  }
  return page.text;
}
