import { STATUS_CODES } from 'node:http';
import type { Refusal } from '../cluster/lease.ts';
import type { Outcome } from '../cluster/target/endpoint-counters.ts';
import { OVERLOADED as OVERLOADED_HEADER } from './response-head.ts';

/** A response of the proxy itself. It states the reason, and nothing about the systems behind the proxy. */
export interface OwnAnswer {
  readonly statusCode: number;
  /** A single line. */
  readonly text: string;
  /** Alternating names and values. */
  readonly headers?: readonly string[];
  /** The parser's error code, for the log only. */
  readonly code?: string;
}

export const UNROUTED: OwnAnswer = { statusCode: 404, text: 'no route matches this host and path' };
export const TIMED_OUT: OwnAnswer = { statusCode: 504, text: 'no response within the timeout of the route' };
export const CLIENT_SLOW: OwnAnswer = { statusCode: 408, text: 'the request body arrived too slowly' };
export const CLIENT_STALLED: OwnAnswer = { statusCode: 408, text: 'the request was not completed in time' };
export const EXPECTATION_FAILED: OwnAnswer = {
  statusCode: 417,
  text: 'only 100-continue is supported in Expect',
};
const ALLOWED = ['allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'];
export const NO_TUNNEL: OwnAnswer = { statusCode: 405, text: 'CONNECT is not supported', headers: ALLOWED };
/** A request is not reflected: it may have cookies and credentials. */
export const NO_TRACE: OwnAnswer = { statusCode: 405, text: 'TRACE ends at this proxy', headers: ALLOWED };
const OVERLOADED: OwnAnswer = { statusCode: 503, text: 'overloaded' };
export const OPTIONS_OF_ALL: OwnAnswer = { statusCode: 204, text: '' };

/** The answer to a client that speaks HTTP to a listener with TLS. */
export const PLAIN_ON_TLS: OwnAnswer = {
  statusCode: 400,
  text: 'bad request: plain HTTP on a port for HTTPS',
};

export const BAD_REQUEST_LINE: OwnAnswer = {
  statusCode: 400,
  text: 'bad request: the first line is not valid HTTP/1.1',
};

export function badRequest(fault: string): OwnAnswer {
  return { statusCode: 400, text: `bad request: ${fault}` };
}

/** The limit is named only to peers that may see it. */
export function refused(refusal: Refusal, cluster: string, isReasonShown: boolean): OwnAnswer {
  if (refusal.kind === 'no_healthy_endpoint') return { statusCode: 503, text: 'no healthy endpoint' };
  if (!isReasonShown) return OVERLOADED;
  const { limit, max } = refusal;
  return {
    ...OVERLOADED,
    headers: [OVERLOADED_HEADER, `${limit} cluster=${cluster} limit=${max}`],
  };
}

/** The answer to a request whose last attempt ended without a response. */
export function failed(outcome: Outcome): OwnAnswer {
  if (outcome === 'connect_failure') return { statusCode: 502, text: 'the endpoint could not be reached' };
  if (outcome === 'not_sent')
    return { statusCode: 503, text: 'the proxy cannot forward more requests at present' };
  return { statusCode: 502, text: 'the endpoint sent no valid response' };
}

/** A redirect to the same URL under https, on its default port. */
export function redirectToHttps(host: string, path: string): OwnAnswer {
  const name = host.replace(/:\d*$/, '');
  return { statusCode: 308, text: 'only under https', headers: ['location', `https://${name}${path}`] };
}

/** The answer on the wire, which ends the connection. `nowMs` is the time since the Unix epoch. */
export function rawAnswer({ statusCode, text, headers = [] }: OwnAnswer, nowMs: number): string {
  const body = `${text}\n`;
  const lines = headers.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${headers[index + 1] ?? ''}`] : [],
  );
  return [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`,
    'Connection: close',
    `Date: ${new Date(nowMs).toUTCString()}`,
    ...lines,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}
