/** Counters of an endpoint since it was first configured. Hot path: plain numbers, read on demand. */
import type { StatusClassCounts } from '../../source/snapshot.ts';
import { Durations } from './durations.ts';

export class EndpointCounters {
  /** Includes targets to which the name no longer resolves. */
  activeRequests = 0;
  requestsTotal = 0;
  connectFailures = 0;
  resets = 0;
  timeouts = 0;
  clientAborts = 0;
  ejections = 0;
  checksPassed = 0;
  checksFailed = 0;
  /** Connections to it: established since the start, and open now; without those of checks. */
  connectionsTotal = 0;
  connectionsActive = 0;
  /** Open connections that are idle, kept for the next request. */
  connectionsIdle = 0;
  /** Requests sent on a reused connection. */
  connectionsReused = 0;
  readonly durations: Durations;
  /** False when the durations are shared with other endpoints. */
  readonly hasOwnDurations: boolean;
  /** Indexed by the first digit of the status. */
  readonly #byClass = new Float64Array(6);

  constructor(sharedDurations?: Durations) {
    this.durations = sharedDurations ?? new Durations();
    this.hasOwnDurations = sharedDurations === undefined;
  }

  countConnected(): void {
    this.connectionsTotal += 1;
    this.connectionsActive += 1;
  }

  countDisconnected(): void {
    this.connectionsActive -= 1;
  }

  countStart(): void {
    this.activeRequests += 1;
    this.requestsTotal += 1;
  }

  /** `statusCode` is 0 without a response. */
  countEnd(outcome: Outcome, statusCode: number): void {
    this.activeRequests -= 1;
    if (statusCode >= 100 && statusCode < 600) {
      const digit = Math.floor(statusCode / 100);
      this.#byClass[digit] = this.#byClass[digit]! + 1;
    }
    if (outcome === 'connect_failure') this.connectFailures += 1;
    else if (outcome === 'reset') this.resets += 1;
    else if (outcome === 'timeout') this.timeouts += 1;
    else if (outcome === 'client_gone') this.clientAborts += 1;
  }

  requestsByClass(): StatusClassCounts {
    const [, informational = 0, success = 0, redirection = 0, client = 0, server = 0] = this.#byClass;
    return { '1xx': informational, '2xx': success, '3xx': redirection, '4xx': client, '5xx': server };
  }
}

/**
 * How a request or connection ended, as far as it reflects on the endpoint:
 *
 *     success          a complete response below 500; a TCP connection or WebSocket that ended
 *     status_5xx       a response of 500 to 599
 *     connect_failure  no connection, or no TLS session, within the connect time-out
 *     reset            the connection broke, or sent invalid data, before the end of the response
 *     timeout          the route's time-out expired
 *     client_gone      the client disconnected; does not reflect on the endpoint
 *     not_sent         the proxy had no descriptor or port left; does not reflect on the endpoint
 */
export type Outcome =
  'success' | 'status_5xx' | 'connect_failure' | 'reset' | 'timeout' | 'client_gone' | 'not_sent';

/** Whether the outcome reflects on the endpoint. */
export function concernsEndpoint(outcome: Outcome): boolean {
  return outcome !== 'client_gone' && outcome !== 'not_sent';
}
