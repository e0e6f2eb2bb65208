import type { Log } from '#platform/observability';
import type { RefusedHandshake } from './tls-listener.ts';

const QUIET_MS = 1_000;

/** Logs rejected TLS handshakes, at most one line per second. */
export class TlsRefusals {
  readonly #log: Log;
  readonly #event: string;
  #quietUntilMs = 0;
  #untold = 0;

  /** `event` is the event name of the log line. */
  constructor(log: Log, event: string) {
    this.#log = log;
    this.#event = event;
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
    this.#log.warn({ event: this.#event, peer, reason, untold }, 'TLS connection rejected');
  }
}
