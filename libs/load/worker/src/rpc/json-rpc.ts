import { Pool } from 'undici';
import { fromQuantity } from '#load/chain';
import { DomainError } from '#platform/foundation';
import { isOfBatch, Patience } from './patience.ts';
import { type RpcAddress, rpcAddress } from './rpc-connection.ts';
import {
  readReplies,
  readReply,
  RpcFailure,
  type RpcReplyFault,
  type RpcReply,
  TIME_OUT,
  timeOut,
  transportCodeOf,
  transportFault,
  withoutSecretsOf,
} from './rpc-reply.ts';

export interface JsonRpcOptions {
  /** The target: of several URLs the last one that answered, or the next if it cannot be connected. */
  readonly url: string | readonly string[];
  /** The target of transactions. Default: `url`. */
  readonly sendUrl?: string | readonly string[] | undefined;
  /** The time for an exchange, from the request to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Maximum number of connections. Default 32. */
  readonly connections?: number;
  /** The time in which a read that failed for a transient reason is repeated. Default 0: it is not. */
  readonly patienceMs?: number;
}

/** Parses a result; throws any error if it is invalid. */
export type ResultReader<T> = (result: unknown) => T;

interface Exchange {
  readonly status: number;
  readonly body: Uint8Array;
  readonly retryAfterMs: number | undefined;
}

interface Server {
  readonly address: RpcAddress;
  readonly pool: Pool;
}

/** Servers of one purpose. */
interface ServerGroup {
  readonly servers: readonly Server[];
  /** The server that is used first. */
  current: number;
}

type Outcome<T> = { readonly isFine: true; readonly value: T } | RpcReplyFault;

const CONNECTIONS_DEFAULT = 32;
/** A block with thousands of receipts has a few megabytes. */
const REPLY_BYTES_MAX = 64 * 2 ** 20;
const CALLS_A_BATCH = 100;
/** The divisor of the size of rejected batches. */
const SPLIT = 5;
const CONNECT_TIME_OUT = 'UND_ERR_CONNECT_TIMEOUT';
const UNCONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', CONNECT_TIME_OUT]);
const BATCHES_AT_ONCE = 8;
const HTTP_TOO_MANY_REQUESTS = 429;
const MS_A_SECOND = 1_000;
/** Its repetition may have an effect. */
const SEND = 'eth_sendRawTransaction';

/**
 * A JSON-RPC client. Every answer gives a result or an {@link RpcFailure}: exchanges have a time-out, answers
 * to other requests are rejected, and the size of answers is bounded. Another server is used only if nothing
 * was sent: an error is an answer. Reads are repeated for a limited time; a rejected batch is split.
 */
export class JsonRpc {
  readonly #readers: ServerGroup;
  readonly #senders: ServerGroup;
  readonly #secrets: readonly string[];
  readonly #timeoutMs: number;
  readonly #patienceMs: number;
  readonly #closing = new AbortController();
  #lastId = 0;
  /** The number of calls in a batch that the server accepts. */
  #batchSize = CALLS_A_BATCH;

  constructor({
    url,
    sendUrl,
    timeoutMs,
    headers,
    connections = CONNECTIONS_DEFAULT,
    patienceMs = 0,
  }: JsonRpcOptions) {
    this.#timeoutMs = timeoutMs;
    this.#patienceMs = patienceMs;
    const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connectTimeout: timeoutMs };
    const groupOf = (urls: readonly string[]): ServerGroup => ({
      current: 0,
      servers: urls.map((one) => {
        const address = rpcAddress(one, headers);
        return {
          address,
          pool: new Pool(address.origin, { connections, ...limits, maxResponseSize: REPLY_BYTES_MAX }),
        };
      }),
    });
    this.#readers = groupOf([url].flat());
    const senders = sendUrl === undefined ? [url].flat() : [sendUrl].flat();
    const isSame = senders.join('\n') === [url].flat().join('\n');
    this.#senders = isSame ? this.#readers : groupOf(senders);
    this.#secrets = this.#servers.flatMap(({ address }) => address.secrets);
  }

  get #servers(): readonly Server[] {
    return [...new Set([...this.#readers.servers, ...this.#senders.servers])];
  }

  /** Aborted by `close`. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  async call<T>(method: string, params: readonly unknown[], read: ResultReader<T>): Promise<T> {
    const patience = this.#patience(method);
    for (let attempt = 0; ; attempt++) {
      const outcome = this.#outcomeOf(await this.#callOnce(method, params), read);
      if (outcome.isFine) return outcome.value;
      if (!(await patience.waits(outcome, attempt))) throw new RpcFailure(method, outcome);
    }
  }

  /** Calls a method many times, in JSON-RPC batches; results are in the order of the parameters. */
  async callMany<T>(
    method: string,
    paramsOfAll: readonly (readonly unknown[])[],
    read: ResultReader<T>,
  ): Promise<readonly T[]> {
    return (await this.callEach(method, paramsOfAll, read)).map((result) => {
      if (result instanceof RpcFailure) throw result;
      return result;
    });
  }

  /** Like {@link callMany}, with the failure in the place of each missing result. */
  async callEach<T>(
    method: string,
    paramsOfAll: readonly (readonly unknown[])[],
    read: ResultReader<T>,
  ): Promise<readonly (T | RpcFailure)[]> {
    const outcomes = new Array<Outcome<T> | undefined>(paramsOfAll.length);
    const calls: BatchedCalls<T> = { method, paramsOfAll, read, outcomes, patience: this.#patience(method) };
    const starts = Array.from(
      { length: Math.ceil(paramsOfAll.length / CALLS_A_BATCH) },
      (_, i) => i * CALLS_A_BATCH,
    ).values();
    const work = async (): Promise<void> => {
      for (const start of starts) {
        const length = Math.min(CALLS_A_BATCH, paramsOfAll.length - start);
        await this.#settleCalls(
          calls,
          Array.from({ length }, (_, i) => start + i),
        );
      }
    };
    await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, work));
    return outcomes.map((outcome = transportFault(TIME_OUT, true)) =>
      outcome.isFine ? outcome.value : new RpcFailure(method, outcome),
    );
  }

  /** Parses a result of another call; an invalid one is an RpcFailure of this method. */
  reading<T>(method: string, read: () => T): T {
    const outcome = this.#outcomeOf({ isFine: true, result: undefined }, read);
    if (!outcome.isFine) throw new RpcFailure(method, outcome);
    return outcome.value;
  }

  /** Ends all exchanges and repetitions. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#servers.map(({ pool }) => pool.destroy()));
  }

  #patience(method: string): Patience {
    return new Patience(method === SEND ? 0 : this.#patienceMs, this.closing);
  }

  /** Makes these calls until they have results, or there is no patience left. */
  async #settleCalls<T>(calls: BatchedCalls<T>, indexes: readonly number[]): Promise<void> {
    let open = indexes;
    let size = this.#batchSize;
    for (let attempt = 0; ; attempt++) {
      const fault = await this.#callInBatches(calls, open, size);
      if (fault === undefined) return;
      const isSplit = fault.isWhole && size > 1 && isOfBatch(fault);
      if (!isSplit && !(await calls.patience.waits(fault, attempt))) return;
      if (fault.status !== HTTP_TOO_MANY_REQUESTS) size = Math.ceil(size / SPLIT);
      if (isSplit) this.#batchSize = Math.min(this.#batchSize, size);
      open = open.filter((index) => calls.outcomes[index]?.isFine !== true);
    }
  }

  /** Makes one attempt; returns its fault, which is that of a whole batch if there is one. */
  async #callInBatches<T>(
    { method, paramsOfAll, read, outcomes, patience }: BatchedCalls<T>,
    open: readonly number[],
    size: number,
  ): Promise<BatchFault | undefined> {
    let worst: BatchFault | undefined;
    for (let from = 0; from < open.length; from += size) {
      const indexes = open.slice(from, from + size);
      if (worst !== undefined && patience.isSpentBy(worst)) {
        for (const index of indexes) outcomes[index] ??= worst;
        continue;
      }
      const replies = await this.#callBatch(
        method,
        indexes.map((index) => paramsOfAll[index] ?? []),
      );
      for (const [at, index] of indexes.entries()) {
        const reply = 'isFine' in replies ? replies : replies[at];
        const outcome = reply === undefined ? transportFault(TIME_OUT, true) : this.#outcomeOf(reply, read);
        outcomes[index] = outcome;
        if (!outcome.isFine && worst?.isWhole !== true) worst = { ...outcome, isWhole: 'isFine' in replies };
      }
    }
    return worst;
  }

  #outcomeOf<T>(reply: RpcReply, read: ResultReader<T>): Outcome<T> {
    if (!reply.isFine) return withoutSecretsOf(this.#secrets, reply) as RpcReplyFault;
    try {
      return { isFine: true, value: read(reply.result) };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const message = `an unexpected result: ${error.message}`;
      return { isFine: false, failure: 'rpc_garbage', code: null, message };
    }
  }

  async #callOnce(method: string, params: readonly unknown[]): Promise<RpcReply> {
    const id = ++this.#lastId;
    const exchange = await this.#exchange(method, { jsonrpc: '2.0', id, method, params });
    if (!('body' in exchange)) return exchange;
    const { status, body, retryAfterMs } = exchange;
    const reply = readReply(status, body, id);
    return reply.isFine ? reply : { ...reply, retryAfterMs };
  }

  /** A single call is sent as such: a server may know no batches. A fault: of the whole batch. */
  async #callBatch(
    method: string,
    paramsOfAll: readonly (readonly unknown[])[],
  ): Promise<readonly RpcReply[] | RpcReplyFault> {
    const [first = [], ...others] = paramsOfAll;
    if (others.length === 0) return [await this.#callOnce(method, first)];
    const requests = paramsOfAll.map((params) => ({ jsonrpc: '2.0', id: ++this.#lastId, method, params }));
    const exchange = await this.#exchange(method, requests);
    if (!('body' in exchange)) return exchange;
    const { status, body, retryAfterMs } = exchange;
    const ids = requests.map(({ id }) => id);
    const replies = readReplies(status, body, ids);
    return 'isFine' in replies ? { ...replies, retryAfterMs } : replies;
  }

  async #exchange(method: string, request: unknown): Promise<Exchange | RpcReplyFault> {
    const group = method === SEND ? this.#senders : this.#readers;
    const { servers, current: first } = group;
    const count = servers.length;
    const body = JSON.stringify(request);
    let outcome: Exchange | RpcReplyFault = transportFault('ECONNREFUSED', false);
    for (let turn = 0; turn < count; turn++) {
      const at = (first + turn) % count;
      const server = servers[at];
      if (server === undefined) break;
      outcome = await exchange(server, body, this.#timeoutMs);
      if ('body' in outcome || outcome.failure !== 'rpc_unreachable') {
        group.current = at;
        break;
      }
    }
    return outcome;
  }
}

/** Calls of one method, with their outcomes so far. */
interface BatchedCalls<T> {
  readonly method: string;
  readonly paramsOfAll: readonly (readonly unknown[])[];
  readonly read: ResultReader<T>;
  readonly outcomes: (Outcome<T> | undefined)[];
  readonly patience: Patience;
}

interface BatchFault extends RpcReplyFault {
  /** The batch was rejected as a whole. */
  readonly isWhole: boolean;
}

async function exchange(
  { address, pool }: Server,
  request: string,
  timeoutMs: number,
): Promise<Exchange | RpcReplyFault> {
  const { path, headers } = address;
  // The time-outs of undici begin again with each byte.
  const deadline = new AbortController();
  const timer = setTimeout(() => {
    deadline.abort(timeOut(pool.stats.connected === 0 ? CONNECT_TIME_OUT : TIME_OUT));
  }, timeoutMs);
  try {
    const sent = { path, method: 'POST', headers: { ...headers }, body: request } as const;
    const reply = await pool.request({ ...sent, signal: deadline.signal });
    const retryAfterMs = retryAfterOf(reply.headers['retry-after']);
    return { status: reply.statusCode, body: await reply.body.bytes(), retryAfterMs };
  } catch (error) {
    const code = transportCodeOf(error);
    if (code === undefined) throw error;
    return transportFault(code, !UNCONNECTED.has(code));
  } finally {
    clearTimeout(timer);
  }
}

/** Reads `Retry-After`, in seconds or as a date. */
function retryAfterOf(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * MS_A_SECOND : Date.parse(header) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
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

export function readText(result: unknown): string {
  if (typeof result !== 'string') throw unexpected('a text', result);
  return result;
}

/** The error of a reader whose result has another form. */
export function unexpected(expected: string, got: unknown): DomainError {
  return new DomainError('WIRE_FORMAT', `expected ${expected}, got ${got === null ? 'null' : typeof got}`);
}
