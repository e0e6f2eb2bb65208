import { Pool } from 'undici';
import { fromQuantity } from '#chain';
import { DomainError } from '#foundation';
import { type RpcAddress, rpcAddress } from './rpc-address.ts';
import { readReplies, readReply, RpcFailure, type RpcFault, type RpcReply } from './rpc-reply.ts';
import { transportCodeOf, transportFault } from './transport-fault.ts';

export interface JsonRpcOptions {
  readonly url: string;
  readonly timeoutMs: number;
  /** At most. Default 32. */
  readonly connections?: number;
}

/** Takes a result apart; throws anything when it is not what it should be. */
export type ResultReader<T> = (result: unknown) => T;

interface Exchange {
  readonly status: number;
  readonly body: Uint8Array;
}

const CONNECTIONS_DEFAULT = 32;
/** A block of thousands of receipts has a few megabytes. */
const REPLY_BYTES_MAX = 64 * 2 ** 20;
const CALLS_A_BATCH = 100;
const UNCONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
const BATCHES_AT_ONCE = 8;

/**
 * Asks a JSON-RPC server. Whatever it answers is a result or an {@link RpcFailure}: no answer hangs beyond
 * the time-out, is believed when it belongs to another request, or is read without bound.
 */
export class JsonRpc {
  readonly #pool: Pool;
  readonly #address: RpcAddress;
  #lastId = 0;

  constructor({ url, timeoutMs, connections = CONNECTIONS_DEFAULT }: JsonRpcOptions) {
    this.#address = rpcAddress(url);
    this.#pool = new Pool(this.#address.origin, {
      connections,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connectTimeout: timeoutMs,
      maxResponseSize: REPLY_BYTES_MAX,
    });
  }

  async call<T>(method: string, params: readonly unknown[], read: ResultReader<T>): Promise<T> {
    const id = ++this.#lastId;
    const exchange = await this.#exchange({ jsonrpc: '2.0', id, method, params });
    const reply = 'body' in exchange ? readReply(exchange.status, exchange.body, id) : exchange;
    return resultOf(method, reply, read);
  }

  /** The same method many times, in JSON-RPC batches; results in the order of the parameters. */
  async callMany<T>(
    method: string,
    paramsOfAll: readonly (readonly unknown[])[],
    read: ResultReader<T>,
  ): Promise<readonly T[]> {
    const results: T[] = [];
    const starts = Array.from(
      { length: Math.ceil(paramsOfAll.length / CALLS_A_BATCH) },
      (_, i) => i,
    ).values();
    const work = async (): Promise<void> => {
      for (const batch of starts) {
        const from = batch * CALLS_A_BATCH;
        const some = await this.#callBatch(method, paramsOfAll.slice(from, from + CALLS_A_BATCH));
        for (const [at, reply] of some.entries()) results[from + at] = resultOf(method, reply, read);
      }
    };
    await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, work));
    return results;
  }

  /** Reads what came by other calls: what is not as it should be is an RpcFailure of this method. */
  reading<T>(method: string, read: () => T): T {
    return resultOf(method, { isFine: true, result: undefined }, read);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  async #callBatch(
    method: string,
    paramsOfAll: readonly (readonly unknown[])[],
  ): Promise<readonly RpcReply[]> {
    const requests = paramsOfAll.map((params) => ({ jsonrpc: '2.0', id: ++this.#lastId, method, params }));
    const exchange = await this.#exchange(requests);
    if (!('body' in exchange)) return requests.map(() => exchange);
    return readReplies(
      exchange.status,
      exchange.body,
      requests.map(({ id }) => id),
    );
  }

  async #exchange(request: unknown): Promise<Exchange | RpcFault> {
    const { path, headers } = this.#address;
    try {
      const { statusCode, body } = await this.#pool.request({
        path,
        method: 'POST',
        headers: { ...headers },
        body: JSON.stringify(request),
      });
      return { status: statusCode, body: await body.bytes() };
    } catch (error) {
      const code = transportCodeOf(error);
      if (code === undefined) throw error;
      return transportFault(code, !UNCONNECTED.has(code));
    }
  }
}

function resultOf<T>(method: string, reply: RpcReply, read: ResultReader<T>): T {
  if (!reply.isFine) throw new RpcFailure(method, reply);
  try {
    return read(reply.result);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const message = `an unexpected result: ${error.message}`;
    throw new RpcFailure(method, { isFine: false, failure: 'rpc_garbage', code: null, message });
  }
}

/** A quantity that fits a number: nonces, blocks, gas. */
export function readNumber(result: unknown): number {
  const number = Number(readBigInt(result));
  if (!Number.isSafeInteger(number)) throw unexpected('a quantity below 2^53', result);
  return number;
}

export function readBigInt(result: unknown): bigint {
  if (typeof result !== 'string') throw unexpected('a quantity', result);
  return fromQuantity(result);
}

/** For readers of results. */
export function unexpected(expected: string, got: unknown): DomainError {
  return new DomainError('WIRE_FORMAT', `expected ${expected}, got ${got === null ? 'null' : typeof got}`);
}
