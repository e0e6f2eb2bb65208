import type { MessagePort } from 'node:worker_threads';
import type { Check } from '#load/oracle';
import { assert, DomainError } from '#platform/foundation';
import { RunTelemetry } from './run-telemetry.ts';
import type { TelemetryReply, TelemetryRequest } from './telemetry-messages.ts';

/** Answers requests on a thread of its own. An error that nobody expected ends the thread. */
export function serveTelemetry(port: MessagePort): void {
  const server = new TelemetryServer(port);
  port.on('message', (request: TelemetryRequest) => void server.answer(request));
}

class TelemetryServer {
  readonly #port: MessagePort;
  readonly #violations: Record<Check, number> = { nonce: 0, balance: 0, gas: 0 };
  #telemetry: RunTelemetry | undefined;
  #isTelling = false;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  async answer(request: TelemetryRequest): Promise<void> {
    const { id } = request;
    try {
      this.#reply({ id, given: await this.#perform(request) });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#reply({ id, failure: { code: error.code, message: error.message } });
    }
  }

  async #perform(request: TelemetryRequest): Promise<unknown> {
    if (request.name === 'open') {
      this.#telemetry = await RunTelemetry.open(request.given, (check) => this.#count(check));
      return null;
    }
    const telemetry = this.#telemetry;
    assert(telemetry !== undefined, 'open comes first');
    switch (request.name) {
      case 'take':
        await telemetry.take(request.given.edge, request.given.seq, request.given.tables);
        return null;
      case 'verify':
        return telemetry.verify(request.given);
      case 'seal':
        return telemetry.seal(request.given.edges);
      case 'close':
        await telemetry.close();
        this.#port.close();
        return null;
    }
  }

  /** Told once a turn, however many there are. */
  #count(check: Check): void {
    this.#violations[check]++;
    if (this.#isTelling) return;
    this.#isTelling = true;
    setImmediate(() => {
      this.#isTelling = false;
      this.#reply({ violations: { ...this.#violations } });
    });
  }

  #reply(reply: TelemetryReply): void {
    this.#port.postMessage(reply);
  }
}
