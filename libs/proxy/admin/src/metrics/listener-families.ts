import type { ListenerSnapshot, ProxySnapshot } from '#proxy/engine';
import type { Emit } from './exposition.ts';
import { counter, gauge, type MetricFamily, STATUS_CLASSES } from './metric-family.ts';

const LISTENER = ['listener'];

export const LISTENER_FAMILIES: readonly MetricFamily[] = [
  counter(
    ['listener_cx_total', 'Connections accepted'],
    LISTENER,
    each((listener) => listener.cxTotal),
  ),
  gauge(
    ['listener_cx_active', 'Open connections'],
    LISTENER,
    each((listener) => listener.cxActive),
  ),
  counter(
    [
      'listener_cx_refused_total',
      'Connections refused by max_connections, or without a file descriptor to spare; not counted as accepted',
    ],
    LISTENER,
    each((listener) => listener.cxRefused),
  ),
  counter(
    [
      'listener_cx_refused_for_descriptors_total',
      'Connections refused because the process had no file descriptor to spare',
    ],
    LISTENER,
    each((listener) => listener.cxRefusedForDescriptors),
  ),
  gauge(
    ['listener_requests_active', 'Requests without a complete response'],
    LISTENER,
    each((listener) => listener.requestsActive),
  ),
  counter(
    ['listener_responses_total', 'Responses sent, including those of the proxy itself, by status class'],
    [...LISTENER, 'code'],
    (snapshot, emit) => {
      for (const { name, requestsByClass } of listenersOf(snapshot)) {
        for (const code of STATUS_CLASSES) emit(requestsByClass[code], name, code);
      }
    },
  ),
  counter(
    [
      'listener_parse_errors_total',
      'Requests rejected as malformed or too large, and connections without HTTP',
    ],
    LISTENER,
    each((listener) => listener.parseErrors),
  ),
  counter(
    ['listener_timeouts_total', 'Timeouts of request heads, idle connections and complete responses'],
    [...LISTENER, 'limit'],
    (snapshot, emit) => {
      for (const { name, headerTimeouts, idleTimeouts, requestTimeouts } of listenersOf(snapshot)) {
        emit(headerTimeouts, name, 'header');
        emit(idleTimeouts, name, 'idle');
        emit(requestTimeouts, name, 'request');
      }
    },
  ),
  counter(
    ['listener_unrouted_total', 'Requests that match no route, answered with 404'],
    LISTENER,
    each((listener) => listener.unrouted),
  ),
  counter(
    ['listener_client_aborts_total', 'Requests whose client disconnected before the response was complete'],
    LISTENER,
    each((listener) => listener.clientAborts),
  ),
  counter(
    ['listener_tls_errors_total', 'TLS handshakes that failed'],
    LISTENER,
    each((listener) => listener.tlsErrors),
  ),
  counter(
    ['listener_received_bytes_total', 'Bytes received from clients'],
    LISTENER,
    each((listener) => listener.bytesReceived),
  ),
  counter(
    ['listener_sent_bytes_total', 'Bytes sent to clients'],
    LISTENER,
    each((listener) => listener.bytesSent),
  ),
];

function each(
  value: (listener: ListenerSnapshot) => number | undefined,
): (snapshot: ProxySnapshot, emit: Emit) => void {
  return (snapshot, emit) => {
    for (const listener of listenersOf(snapshot)) emit(value(listener), listener.name);
  };
}

/** All listeners, including removed ones, whose connections count in the sums of the proxy. */
function listenersOf({ listeners, removedListeners }: ProxySnapshot): readonly ListenerSnapshot[] {
  return [...listeners, ...removedListeners];
}
