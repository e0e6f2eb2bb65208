import type { EndpointSnapshot, ProxySnapshot } from '#proxy/engine';
import type { Emit } from './exposition.ts';
import { counter, gauge, histogram, type MetricFamily, STATUS_CLASSES } from './metric-family.ts';

const ENDPOINT = ['cluster', 'endpoint'];

export const ENDPOINT_FAMILIES: readonly MetricFamily[] = [
  gauge(
    ['endpoint_healthy', '1 while the endpoint passes its checks and is neither ejected nor disabled'],
    ENDPOINT,
    each(({ healthy }) => Number(healthy)),
  ),
  gauge(
    ['endpoint_ejected', '1 while the endpoint is ejected'],
    ENDPOINT,
    each(({ isEjected }) => (isEjected === undefined ? undefined : Number(isEjected))),
  ),
  gauge(
    ['endpoint_disabled', '1 while the endpoint is disabled by an operator'],
    ENDPOINT,
    each(({ isDisabled }) => Number(isDisabled)),
  ),
  counter(
    ['endpoint_ejections_total', 'Ejections'],
    ENDPOINT,
    each(({ ejections }) => ejections),
  ),
  gauge(
    ['endpoint_requests_active', 'Requests without a complete response, and open TCP connections'],
    ENDPOINT,
    each(({ activeRequests }) => activeRequests),
  ),
  counter(
    ['endpoint_requests_total', 'Requests and TCP connections sent to the endpoint, including retries'],
    ENDPOINT,
    each(({ requestsTotal }) => requestsTotal),
  ),
  counter(
    ['endpoint_responses_total', 'Responses received, by status class'],
    [...ENDPOINT, 'code'],
    (snapshot, emit) =>
      forEachEndpoint(snapshot, ({ requestsByClass }, ...labels) => {
        for (const code of STATUS_CLASSES) emit(requestsByClass[code], ...labels, code);
      }),
  ),
  counter(
    ['endpoint_failures_total', 'Failed requests: no connection, connection lost, or timeout'],
    [...ENDPOINT, 'reason'],
    (snapshot, emit) =>
      forEachEndpoint(snapshot, ({ connectFailures, resets, timeouts }, ...labels) => {
        emit(connectFailures, ...labels, 'connect');
        emit(resets, ...labels, 'reset');
        emit(timeouts, ...labels, 'timeout');
      }),
  ),
  counter(
    ['endpoint_client_aborts_total', 'Requests whose client disconnected before the response was complete'],
    ENDPOINT,
    each(({ clientAborts }) => clientAborts),
  ),
  counter(
    ['endpoint_checks_total', 'Active health checks, by result'],
    [...ENDPOINT, 'result'],
    (snapshot, emit) =>
      forEachEndpoint(snapshot, ({ checksPassed, checksFailed }, ...labels) => {
        emit(checksPassed, ...labels, 'passed');
        emit(checksFailed, ...labels, 'failed');
      }),
  ),
  counter(
    ['endpoint_cx_total', 'Connections established to the endpoint, excluding health checks'],
    ENDPOINT,
    each(({ connectionsTotal }) => connectionsTotal),
  ),
  gauge(
    ['endpoint_cx_active', 'Open connections to the endpoint'],
    ENDPOINT,
    each(({ connectionsActive }) => connectionsActive),
  ),
  gauge(
    ['endpoint_cx_idle', 'Idle connections to the endpoint, kept for further requests'],
    ENDPOINT,
    each(({ connectionsIdle }) => connectionsIdle),
  ),
  counter(
    ['endpoint_cx_reused_total', 'Requests sent on a reused connection'],
    ENDPOINT,
    each(({ connectionsReused }) => connectionsReused),
  ),
  histogram(
    ['endpoint_request_duration_seconds', 'From the selection of the endpoint to the end of the response'],
    ENDPOINT,
    (snapshot, emit) =>
      forEachEndpoint(snapshot, ({ durations }, ...labels) => {
        if (durations !== undefined) emit(durations, ...labels);
      }),
  ),
];

type Look = (endpoint: EndpointSnapshot, cluster: string, label: string) => void;

/**
 * HAProxy may have several servers at one address: from the second on their labels are numbered, because a
 * page must not contain a sample twice.
 */
function forEachEndpoint({ clusters }: ProxySnapshot, look: Look): void {
  for (const { name, endpoints } of clusters) {
    const seen = new Map<string, number>();
    for (const endpoint of endpoints) {
      const nth = (seen.get(endpoint.address) ?? 0) + 1;
      seen.set(endpoint.address, nth);
      look(endpoint, name, nth === 1 ? endpoint.address : `${endpoint.address}#${nth}`);
    }
  }
}

function each(
  value: (endpoint: EndpointSnapshot) => number | undefined,
): (snapshot: ProxySnapshot, emit: Emit) => void {
  return (snapshot, emit) =>
    forEachEndpoint(snapshot, (endpoint, ...labels) => emit(value(endpoint), ...labels));
}
