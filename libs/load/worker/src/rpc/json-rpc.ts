import { Pool } from 'undici';
import { fromQuantity } from '#load/chain';
import { DomainError } from '#platform/foundation';
import { type RpcAddress, rpcAddress } from './rpc-connection.ts';
import {
  readReplies,
  readReply,
  RpcFailure,
  type RpcReplyFault,
  type RpcReply,
  transportCodeOf,
  transportFault,
  withoutSecretsOf,
} from './rpc-reply.ts';

export interface JsonRpcOptions {
  /** Of several URLs, the one that answered last is used, or the next if it cannot be connected. */
  readonly url: string | readonly string[];
  readonly timeoutMs: number;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** At most. Default 32. */
  readonly connections?: number;
}

/** Parses a result; throws any error if it is invalid. */
export type ResultReader<T> = (result: unknown) => T;

interface Exchange {
  readonly status: number;
  readonly body: Uint8Array;
}

interface Server {
  readonly address: RpcAddress;
  readonly pool: Pool;
}

const CONNECTIONS_DEFAULT = 32;
/** A block with thousands of receipts has a few megabytes. */
const REPLY_BYTES_MAX = 64 * 2 ** 20;
const CALLS_A_BATCH = 100;
const UNCONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
const BATCHES_AT_ONCE = 8;

/**
 * A JSON-RPC client. Every answer gives a result or an {@link RpcFailure}: calls have a time-out, answers to
 * other requests are rejected, and the size of answers is bounded. Another server is used only if nothing was
 * sent: an error is an answer.
 */
export class JsonRpc {
  readonly #servers: readonly Server[];
  readonly #secrets: readonly string[];
  /** The server that is used first. */
  #current = 0;
  #lastId = 0;

  constructor({ url, timeoutMs, headers, connections = CONNECTIONS_DEFAULT }: JsonRpcOptions) {
    this.#servers = [url].flat().map((one) => {
      const address = rpcAddress(one, headers);
      const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connectTimeout: timeoutMs };
      return {
        address,
        pool: new Pool(address.origin, { connections, ...limits, maxResponseSize: REPLY_BYTES_MAX }),
      };
    });
    this.#secrets = this.#servers.flatMap(({ address }) => address.secrets);
  }

  async call<T>(method: string, params: readonly unknown[], read: ResultReader<T>): Promise<T> {
    const id = ++this.#lastId;
    const exchange = await this.#exchange({ jsonrpc: '2.0', id, method, params });
    const reply = 'body' in exchange ? readReply(exchange.status, exchange.body, id) : exchange;
    return resultOf(method, withoutSecretsOf(this.#secrets, reply), read);
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
        for (const [at, reply] of some.entries()) {
          results[from + at] = resultOf(method, withoutSecretsOf(this.#secrets, reply), read);
        }
      }
    };
    await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, work));
    return results;
  }

  /** Parses a result of another call; an invalid one is an RpcFailure of this method. */
  reading<T>(method: string, read: () => T): T {
    return resultOf(method, { isFine: true, result: undefined }, read);
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map(({ pool }) => pool.destroy()));
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

  async #exchange(request: unknown): Promise<Exchange | RpcReplyFault> {
    const count = this.#servers.length;
    const first = this.#current;
    const body = JSON.stringify(request);
    let outcome: Exchange | RpcReplyFault = transportFault('ECONNREFUSED', false);
    for (let turn = 0; turn < count; turn++) {
      const at = (first + turn) % count;
      const server = this.#servers[at];
      if (server === undefined) break;
      outcome = await exchange(server, body);
      if ('body' in outcome || outcome.failure !== 'rpc_unreachable') {
        this.#current = at;
        break;
      }
    }
    return outcome;
  }
}

async function exchange({ address, pool }: Server, request: string): Promise<Exchange | RpcReplyFault> {
  const { path, headers } = address;
  try {
    const sent = { path, method: 'POST', headers: { ...headers }, body: request } as const;
    const { statusCode, body } = await pool.request(sent);
    return { status: statusCode, body: await body.bytes() };
  } catch (error) {
    const code = transportCodeOf(error);
    if (code === undefined) throw error;
    return transportFault(code, !UNCONNECTED.has(code));
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

/** A quantity in the exact range of numbers: nonces, blocks, gas. */
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
