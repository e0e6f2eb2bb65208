import { Pool } from 'undici';
import { DomainError } from '#platform/foundation';

const CONNECTIONS = 128;

/** JSON-RPC client of anvil, for forwarded requests and for the sequencer's own calls. */
export class AnvilClient {
  readonly #pool: Pool;

  constructor(port: number) {
    this.#pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS });
  }

  /** Forwards a body unchanged; returns the status and body of the response unchanged. */
  async forward(body: Buffer): Promise<{ readonly status: number; readonly body: Buffer }> {
    const headers = { 'content-type': 'application/json' };
    const reply = await this.#pool.request({ method: 'POST', path: '/', headers, body });
    return { status: reply.statusCode, body: Buffer.from(await reply.body.arrayBuffer()) };
  }

  /** The result of one call. Throws WIRE_FORMAT if there is none. */
  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const { body } = await this.forward(
      Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
    );
    const reply = JSON.parse(body.toString()) as { readonly result?: unknown };
    if (reply.result !== undefined) return reply.result;
    throw new DomainError('WIRE_FORMAT', `expected a result of ${method} from anvil, got ${body.toString()}`);
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
