import { RawClient } from './raw-client.ts';

const CLOSE = /\r\nconnection: close\r\n/i;
const WHOLE = /^HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n([^]*)$/;

/** Clients that send the next request after each response, each on one connection for as long as it lasts. */
export class KeepAliveLoad {
  readonly byStatus = new Map<number, number>();
  /** Sent completely, and not answered. */
  lost = 0;
  /** Refused connections: each ends its client. */
  refused = 0;
  connections = 0;
  readonly #port: number;
  readonly #body: string;
  readonly #clients: Promise<void>[];
  readonly #isReady: () => boolean;
  #isStopped = false;
  #onAnswer: (() => void) | undefined;

  /** Each response must end with `body`. No client reconnects while the proxy is not ready. */
  constructor(port: number, clients: number, body: string, isReady = () => true) {
    this.#port = port;
    this.#body = body;
    this.#isReady = isReady;
    this.#clients = Array.from({ length: clients }, () => this.#run());
  }

  get answered(): number {
    return Array.from(this.byStatus.values()).reduce((sum, count) => sum + count, 0);
  }

  /** Resolves after this many more responses. */
  async answers(count: number): Promise<void> {
    const until = this.answered + count;
    while (this.answered < until) {
      await new Promise<void>((resolve) => {
        this.#onAnswer = resolve;
      });
    }
  }

  /** Resolves when each client has its last response, or could not connect. */
  async ended(): Promise<void> {
    await Promise.all(this.#clients);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.ended();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped && this.#isReady()) {
      const client = await RawClient.to(this.#port).catch(() => undefined);
      if (client === undefined) {
        this.refused += 1;
        return;
      }
      this.connections += 1;
      await this.#ask(client);
      client.socket.destroy();
    }
  }

  async #ask(client: RawClient): Promise<void> {
    while (!this.#isStopped) {
      client.received = '';
      client.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      const answer = await client.until((received) => this.#isWhole(received)).catch(() => undefined);
      if (answer === undefined) {
        this.lost += 1;
        return;
      }
      this.byStatus.set(client.statusCode, (this.byStatus.get(client.statusCode) ?? 0) + 1);
      this.#onAnswer?.();
      if (CLOSE.test(answer)) return;
    }
  }

  #isWhole(received: string): boolean {
    const [, status, body] = WHOLE.exec(received) ?? [];
    return status !== undefined && (status !== '200' || body === this.#body);
  }
}
