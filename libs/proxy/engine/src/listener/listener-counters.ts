/** Counters of a listener since it was first configured. Hot path: plain numbers, read on demand. */
import type { StatusClassCounts } from '../source/snapshot.ts';

/** Counters of the whole process, over all current and former listeners. */
export class DownstreamCounters {
  cxTotal = 0;
  cxActive = 0;
}

export class ListenerCounters {
  cxTotal = 0;
  cxActive = 0;
  cxRefused = 0;
  /** Connections refused because the process had no descriptor to spare. */
  cxRefusedForDescriptors = 0;
  requestsActive = 0;
  parseErrors = 0;
  headerTimeouts = 0;
  idleTimeouts = 0;
  requestTimeouts = 0;
  unrouted = 0;
  clientAborts = 0;
  tlsErrors = 0;
  bytesReceived = 0;
  bytesSent = 0;
  readonly #process: DownstreamCounters;
  /** Indexed by the first digit of the status. */
  readonly #byClass = new Float64Array(6);

  constructor(process: DownstreamCounters) {
    this.#process = process;
  }

  countAccepted(): void {
    this.cxTotal += 1;
    this.cxActive += 1;
    this.#process.cxTotal += 1;
    this.#process.cxActive += 1;
  }

  countClosed(): void {
    this.cxActive -= 1;
    this.#process.cxActive -= 1;
  }

  /** Counts a response whose head is sent. */
  countAnswer(statusCode: number): void {
    const digit = Math.floor(statusCode / 100);
    if (digit >= 1 && digit <= 5) this.#byClass[digit] = this.#byClass[digit]! + 1;
  }

  requestsByClass(): StatusClassCounts {
    const [, informational = 0, success = 0, redirection = 0, client = 0, server = 0] = this.#byClass;
    return { '1xx': informational, '2xx': success, '3xx': redirection, '4xx': client, '5xx': server };
  }
}
