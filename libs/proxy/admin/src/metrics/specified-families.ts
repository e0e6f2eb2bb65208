import { counter, gauge, type MetricFamily } from './metric-family.ts';

/** The four of the specification: first on the page, without labels, there from the start. */
export const SPECIFIED_FAMILIES: readonly MetricFamily[] = [
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
