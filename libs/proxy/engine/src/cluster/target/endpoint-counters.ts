/** What an endpoint has counted since it was first configured. Hot path: plain numbers, read when asked. */
import type { StatusClassCounts } from '../../source/snapshot.ts';
import { Durations } from './durations.ts';
import type { Outcome } from './outcome.ts';

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
