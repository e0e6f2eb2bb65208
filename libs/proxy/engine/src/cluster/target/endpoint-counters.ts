/** What an endpoint has counted since it was first configured. Hot path: plain numbers, read when asked. */
import type { StatusClassCounts } from '../../source/snapshot.ts';
import { Durations } from './durations.ts';

export class EndpointCounters {
  /** On targets that the name no longer resolves to as well. */
  activeRequests = 0;
  requestsTotal = 0;
  connectFailures = 0;
  resets = 0;
  timeouts = 0;
  clientAborts = 0;
  ejections = 0;
  checksPassed = 0;
  checksFailed = 0;
  /** Connections to it: made since the start, and open now; those of checks not among them. */
  connectionsTotal = 0;
  connectionsActive = 0;
  /** Of the open ones, those that are kept for the next request. */
  connectionsIdle = 0;
  /** Requests that were given a connection that was kept. */
  connectionsReused = 0;
  readonly durations: Durations;
  /** False: others add to them too. */
  readonly hasOwnDurations: boolean;
  /** By the first digit of the status. */
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

  /** `statusCode` is 0 when there was none. */
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
