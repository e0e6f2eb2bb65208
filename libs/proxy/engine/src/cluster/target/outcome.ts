/**
 * How a request or connection ended, as far as it says something of the endpoint:
 *
 *     success          an answer below 500 in whole; a TCP connection or WebSocket that ended
 *     status_5xx       an answer of 500 to 599
 *     connect_failure  no connection, or no TLS session, within the connect time-out
 *     reset            the connection broke, or spoke nonsense, before the end of the answer
 *     timeout          the route's time was over
 *     client_gone      the client hung up; says nothing of the endpoint
 *     not_sent         the proxy had no descriptor or port left; says nothing of the endpoint
 */
export type Outcome =
  'success' | 'status_5xx' | 'connect_failure' | 'reset' | 'timeout' | 'client_gone' | 'not_sent';

/** Whether the endpoint had a part in it. */
export function tellsOfEndpoint(outcome: Outcome): boolean {
  return outcome !== 'client_gone' && outcome !== 'not_sent';
}
