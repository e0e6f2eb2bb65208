import { counter, gauge, type MetricFamily } from './metric-family.ts';

/** What concerns the proxy as a whole. */
export const WHOLE_PROXY_FAMILIES: readonly MetricFamily[] = [
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
    ['config_reloads_total', 'Readings of the configuration after the first, by result'],
    ['result'],
    ({ configReloads: { applied, rejected, unchanged } }, emit) => {
      emit(applied, 'applied');
      emit(rejected, 'rejected');
      emit(unchanged, 'unchanged');
    },
  ),
  counter(
    ['drain_cut_connections_total', 'Connections that were open when the time of a drain was over'],
    [],
    (snapshot, emit) => emit(snapshot.drain.cutConnections),
  ),
  counter(
    ['drain_cut_requests_total', 'Requests that were not answered when the time of a drain was over'],
    [],
    (snapshot, emit) => emit(snapshot.drain.cutRequests),
  ),
];
