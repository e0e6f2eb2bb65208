import { fromHex, keccak256, parseTransaction, toHex } from '#load/chain';
import { DomainError } from '#platform/foundation';
import type { AnvilClient } from './anvil-client.ts';

const REMEMBERED_MAX = 65_536;
const MARK = Buffer.from('eth_sendRawTransaction');

/**
 * Signed transactions by hash: those sent through this process are kept until a block contains them, others
 * are queried.
 */
export class RawTransactions {
  readonly #client: AnvilClient;
  readonly #remembered = new Map<string, Uint8Array>();

  constructor(client: AnvilClient) {
    this.#client = client;
  }

  /** Keeps the transactions in the body of a JSON-RPC request. Anvil rejects an invalid body. */
  remember(body: Buffer): void {
    if (!body.includes(MARK)) return;
    for (const text of rawsIn(body)) {
      const raw = fromHex(text);
      this.#remembered.set(toHex(keccak256(raw)), raw);
    }
    for (const hash of this.#remembered.keys()) {
      if (this.#remembered.size <= REMEMBERED_MAX) break;
      this.#remembered.delete(hash);
    }
  }

  /**
   * Undefined if the feed of an Arbitrum chain cannot carry it: a blob transaction, or an unsigned one.
   */
  async take(hash: string): Promise<Uint8Array | undefined> {
    const raw = this.#remembered.get(hash) ?? (await this.#ask(hash));
    this.#remembered.delete(hash);
    return raw !== undefined && isCarried(raw, hash) ? raw : undefined;
  }

  async #ask(hash: string): Promise<Uint8Array | undefined> {
    const text = await this.#client.call('debug_getRawTransaction', [hash]);
    return typeof text === 'string' ? fromHex(text) : undefined;
  }
}

function rawsIn(body: Buffer): string[] {
  try {
    const value: unknown = JSON.parse(body.toString());
    return (Array.isArray(value) ? value : [value]).flatMap((call: unknown) => {
      const { method, params } = (call ?? {}) as Readonly<Record<string, unknown>>;
      const raw: unknown =
        method === 'eth_sendRawTransaction' && Array.isArray(params) ? params[0] : undefined;
      return typeof raw === 'string' && /^0x[0-9a-fA-F]*$/.test(raw) && raw.length % 2 === 0 ? [raw] : [];
    });
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function isCarried(raw: Uint8Array, hash: string): boolean {
  try {
    return toHex(parseTransaction(raw).hash) === hash;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}
