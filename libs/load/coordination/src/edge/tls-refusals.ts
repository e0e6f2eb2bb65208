import type { RefusedHandshake } from '#load/protocol';
import type { Log } from '#platform/observability';

const QUIET_MS = 1_000;

/** Logs who could not connect for want of a certificate: a line a second at most, whoever tries how often. */
export class TlsRefusals {
  readonly #log: Log;
  #quietUntilMs = 0;
  #untold = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  tell({ peer, reason }: RefusedHandshake): void {
    const nowMs = performance.now();
    if (nowMs < this.#quietUntilMs) {
      this.#untold++;
      return;
    }
    this.#quietUntilMs = nowMs + QUIET_MS;
    const untold = this.#untold;
    this.#untold = 0;
    this.#log.warn({ event: 'edge.tls_refused', peer, reason, untold }, 'refused a TLS connection');
  }
}
