import type { EndpointSnapshot, ProxySnapshot } from '#proxy/engine';
import type { Emit } from './exposition.ts';
import { counter, gauge, histogram, type MetricFamily, STATUS_CLASSES } from './metric-family.ts';

const ENDPOINT = ['cluster', 'endpoint'];

export const ENDPOINT_FAMILIES: readonly MetricFamily[] = [
  gauge(
    ['endpoint_healthy', '1 while it passes its checks and is neither ejected nor disabled'],
    ENDPOINT,
    each(({ healthy }) => Number(healthy)),
  ),
  gauge(
    ['endpoint_ejected', '1 while it is ejected'],
    ENDPOINT,
    each(({ isEjected }) => (isEjected === undefined ? undefined : Number(isEjected))),
  ),
  gauge(
    ['endpoint_disabled', '1 while it is disabled by an operator'],
    ENDPOINT,
    each(({ isDisabled }) => Number(isDisabled)),
  ),
  counter(
    ['endpoint_ejections_total', 'Ejections'],
    ENDPOINT,
    each(({ ejections }) => ejections),
  ),
  gauge(
    ['endpoint_requests_active', 'Requests whose answer is not finished, and open TCP connections'],
    ENDPOINT,
    each(({ activeRequests }) => activeRequests),
  ),
  counter(
    ['endpoint_requests_total', 'Requests and TCP connections given to it, retries among them'],
    ENDPOINT,
    each(({ requestsTotal }) => requestsTotal),
  ),
  counter(
    ['endpoint_responses_total', 'Answers received, by class of status'],
    [...ENDPOINT, 'code'],
    (snapshot, emit) =>
      forEachEndpoint(snapshot, ({ requestsByClass }, ...labels) => {
        for (const code of STATUS_CLASSES) emit(requestsByClass[code], ...labels, code);
      }),
  ),
  counter(
    ['endpoint_failures_total', 'Requests that failed: no connection, a connection that broke, a timeout'],
    [...ENDPOINT, 'reason'],
    (snapshot, emit) =>
      forEachEndpoint(snapshot, ({ connectFailures, resets, timeouts }, ...labels) => {
        emit(connectFailures, ...labels, 'connect');
        emit(resets, ...labels, 'reset');
        emit(timeouts, ...labels, 'timeout');
      }),
  ),
  counter(
    ['endpoint_client_aborts_total', 'Requests whose client hung up before the answer was whole'],
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
    ['endpoint_cx_total', 'Connections to it that were established, without those of checks'],
    ENDPOINT,
    each(({ connectionsTotal }) => connectionsTotal),
  ),
  gauge(
    ['endpoint_cx_active', 'Open connections to it'],
    ENDPOINT,
    each(({ connectionsActive }) => connectionsActive),
  ),
  gauge(
    ['endpoint_cx_idle', 'Open connections to it that are idle, kept for the next request'],
    ENDPOINT,
    each(({ connectionsIdle }) => connectionsIdle),
  ),
  counter(
    ['endpoint_cx_reused_total', 'Requests sent on a reused connection'],
    ENDPOINT,
    each(({ connectionsReused }) => connectionsReused),
  ),
  histogram(
    ['endpoint_request_duration_seconds', 'From the choice of the endpoint to the end of the answer'],
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
