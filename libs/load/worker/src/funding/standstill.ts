import type { JsonRpc } from '../rpc/json-rpc.ts';

export interface StandstillOptions {
  readonly rpc: JsonRpc;
  readonly standstillMs: number;
  /** Ends the work too. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Bounds work on a target that may answer slowly, or not at all: closes the client, so that all pending and
 * later calls fail, when nothing has succeeded for some time.
 */
export class Standstill {
  readonly #rpc: JsonRpc;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #close = (): void => void this.#rpc.close();

  constructor({ rpc, standstillMs, signal }: StandstillOptions) {
    this.#rpc = rpc;
    this.#signal = signal;
    this.#timer = setTimeout(this.#close, standstillMs);
    if (signal?.aborted === true) this.#close();
    signal?.addEventListener('abort', this.#close);
  }

  /** Something has succeeded. */
  moved(): void {
    this.#timer.refresh();
  }

  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#close);
    await this.#rpc.close();
  }
}
