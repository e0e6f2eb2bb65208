/**
 * A listener's access log: a line for each request, each TCP connection, and each rejected one. Hot path: a
 * line is one string, built from known values.
 *
 *     http.request     answered (a WebSocket: closed), or cancelled: statusCode is 0 without a response
 *     http.refused     malformed or ambiguous request: answered with statusCode
 *     tcp.connection   closed
 *     cx.refused       not accepted: max_connections, descriptors; or without a TLS session: tls
 *
 * The query is omitted: it may contain secrets. `peer` is the connected address; a trusted one names the
 * `client`.
 */
import type { LineLog } from '#platform/observability';
import type { EndReason } from '../source/upstream-failure.ts';

export interface AnsweredRequest {
  readonly peer: string;
  readonly client: string;
  readonly method: string;
  readonly host: string;
  /** The path without the query. */
  readonly path: string;
  readonly statusCode: number;
  readonly durationMs: number;
  /** Undefined when the request was not forwarded. */
  readonly cluster: string | undefined;
  readonly endpoint: string | undefined;
  /** Why it ended early, or why its last failed attempt did. */
  readonly reason: EndReason | undefined;
  /** The error code of the parser, the system or TLS behind the reason. */
  readonly code: string | undefined;
  /** The response was begun and not completed; written only then. */
  readonly isIncomplete: boolean;
}

export interface ClosedConnection {
  readonly peer: string;
  readonly durationMs: number;
  readonly bytesReceived: number;
  readonly bytesSent: number;
  readonly cluster: string;
  readonly endpoint: string | undefined;
  readonly reason: EndReason | undefined;
}

const DECIMALS = 1_000;

export class AccessLog {
  readonly #lines: LineLog;
  readonly #listener: string;

  constructor(lines: LineLog, listener: string) {
    this.#lines = lines;
    this.#listener = `"listener":${JSON.stringify(listener)}`;
  }

  answered(request: AnsweredRequest): void {
    const { peer, client, method, host, path, statusCode, durationMs } = request;
    const { cluster, endpoint, reason, code, isIncomplete } = request;
    this.#lines.write(
      'request answered',
      `"event":"http.request",${this.#listener},"peer":"${peer}","client":"${client}","method":"${method}",` +
        `"host":${JSON.stringify(host)},"path":${JSON.stringify(path)},"statusCode":${statusCode},` +
        `"durationMs":${rounded(durationMs)}${wayOf(cluster, endpoint, reason)}${codeOf(code)}` +
        (isIncomplete ? ',"isIncomplete":true' : ''),
    );
  }

  /** Logs a connection without a valid request; `statusCode` is 0 when nothing was sent. */
  refusedRequest(peer: string, statusCode: number, reason: string, code?: string): void {
    this.#lines.write(
      'request rejected',
      `"event":"http.refused",${this.#listener},"peer":"${peer}","statusCode":${statusCode},` +
        `"reason":${JSON.stringify(reason)}${codeOf(code)}`,
    );
  }

  closed({ peer, durationMs, bytesReceived, bytesSent, cluster, endpoint, reason }: ClosedConnection): void {
    this.#lines.write(
      'connection closed',
      `"event":"tcp.connection",${this.#listener},"peer":"${peer}","durationMs":${rounded(durationMs)},` +
        `"bytesReceived":${bytesReceived},"bytesSent":${bytesSent}${wayOf(cluster, endpoint, reason)}`,
    );
  }

  refusedConnection(peer: string, reason: string, code?: string): void {
    this.#lines.write(
      'connection refused',
      `"event":"cx.refused",${this.#listener},"peer":"${peer}","reason":"${reason}"${codeOf(code)}`,
    );
  }
}

function codeOf(code: string | undefined): string {
  return code === undefined ? '' : `,"code":${JSON.stringify(code)}`;
}

function rounded(ms: number): number {
  return Math.round(ms * DECIMALS) / DECIMALS;
}

/** Names in a configuration need no quoting. */
function wayOf(
  cluster: string | undefined,
  endpoint: string | undefined,
  reason: string | undefined,
): string {
  let way = '';
  if (cluster !== undefined) way += `,"cluster":"${cluster}"`;
  if (endpoint !== undefined) way += `,"endpoint":"${endpoint}"`;
  if (reason !== undefined) way += `,"reason":"${reason}"`;
  return way;
}
