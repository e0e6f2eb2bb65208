/**
 * How a request or connection ended, as far as it says something of the endpoint:
 *
 *     success          an answer below 500 in whole; a TCP connection or WebSocket that ended
 *     status_5xx       an answer of 500 to 599
 *     connect_failure  no connection, or no TLS session, within the connect time-out
 *     reset            the connection broke, or spoke nonsense, before the end of the answer
 *     timeout          the route's time was over
 *     client_gone      the client hung up; says nothing of the endpoint
 */
export type Outcome = 'success' | 'status_5xx' | 'connect_failure' | 'reset' | 'timeout' | 'client_gone';
