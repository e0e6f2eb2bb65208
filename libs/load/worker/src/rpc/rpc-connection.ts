/** Hot path: one connection that carries one transaction at a time. */
import { Client, type Dispatcher } from 'undici';
import { urlSecrets } from '#platform/foundation';
import type { ProcessorShare } from './processor-share.ts';
import {
  isTimeOut,
  readReply,
  type RpcReply,
  timeOut,
  transportCodeOf,
  transportFault,
  withoutSecretsOf,
} from './rpc-reply.ts';

/** The address of a JSON-RPC server, in the parts needed for a connection and a request. */
export interface RpcAddress {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Secrets that are removed from messages, since a server may repeat them. */
  readonly secrets: readonly string[];
}

/**
 * User name and password of a URL are sent in a header, and never logged. `headers` are the target's resolved
 * headers.
 */
export function rpcAddress(url: string, headers: Readonly<Record<string, string>> = {}): RpcAddress {
  const { origin, pathname, search, username, password } = new URL(url);
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    origin,
    path: pathname + search,
    headers: {
      'content-type': 'application/json',
      ...(credentials !== ':' && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
      ...headers,
    },
    secrets: [...urlSecrets(url), ...Object.values(headers)],
  };
}

/** A request that is ready to be sent. */
export interface Sendable {
  /** The whole JSON-RPC request. */
  readonly body: Uint8Array;
  /** The id in it. */
  readonly id: number;
}

export interface SendListener<Job extends Sendable> {
  /** Called before the first bytes are sent; not called for a request that cannot be sent. */
  onStart(job: Job): void;
  onReply(job: Job, reply: RpcReply): void;
}

interface RpcConnectionOptions<Job extends Sendable> {
  readonly address: RpcAddress;
  readonly timeoutMs: number;
  readonly listener: SendListener<Job>;
  /** Tells whose time-outs they are. */
  readonly processor: ProcessorShare;
  readonly onIdle: (connection: RpcConnection<Job>) => void;
  /** Called if there is no connection and nothing was sent; true if the job is sent to another server. */
  readonly onUnsent?: (job: Job) => boolean;
}

const REPLY_BYTES_MAX = 1_048_576;
/**
 * Idle time before a connection is closed: earlier than by the server, which may lose a request at that
 * moment.
 */
const IDLE_MS_MAX = 30_000;

export class RpcConnection<Job extends Sendable> implements Dispatcher.DispatchHandler {
  readonly #client: Client;
  readonly #options: RpcConnectionOptions<Job>;
  readonly #request: Dispatcher.DispatchOptions;
  #job: Job | undefined;
  #status = 0;
  #hasStarted = false;
  /** Start of the request, by the clock of the process. */
  #startMs = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];

  constructor(options: RpcConnectionOptions<Job>) {
    const { address, timeoutMs } = options;
    this.#options = options;
    this.#request = { path: address.path, method: 'POST', headers: { ...address.headers } };
    this.#client = new Client(address.origin, {
      // One transaction at a time all the same: undici pipelines no POST. With 1 it would let a turn of the
      // event loop pass before it uses the connection again: what is sent from within an answer would wait
      // for all answers of a block (ADR 0236).
      pipelining: 2,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connectTimeout: timeoutMs,
      keepAliveTimeout: IDLE_MS_MAX,
      maxResponseSize: REPLY_BYTES_MAX,
      allowH2: false,
    });
  }

  send(job: Job): void {
    this.#job = job;
    this.#status = 0;
    this.#hasStarted = false;
    this.#chunks = [];
    this.#client.dispatch({ ...this.#request, body: job.body }, this);
  }

  /** Ends an exchange that takes too long as a whole: undici's time-outs begin again with each byte. */
  endIfLate(nowMs: number): void {
    const isLate = this.#hasStarted && nowMs - this.#startMs >= this.#options.timeoutMs;
    if (this.#job !== undefined && isLate) this.#controller?.abort(timeOut());
  }

  /** Connects with a harmless request, and ignores its result. */
  async warmUp(): Promise<void> {
    const body = '{"jsonrpc":"2.0","id":0,"method":"eth_chainId","params":[]}';
    try {
      const signal = AbortSignal.timeout(this.#options.timeoutMs);
      const reply = await this.#client.request({ ...this.#request, body, signal });
      await reply.body.dump();
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError';
      if (!isLate && transportCodeOf(error) === undefined) throw error;
    }
  }

  close(): Promise<void> {
    return this.#client.destroy();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#hasStarted = true;
    this.#startMs = performance.now();
    this.#controller = controller;
    if (this.#job !== undefined) this.#options.listener.onStart(this.#job);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const job = this.#job;
    if (job === undefined) return;
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#finish(job, readReply(this.#status, body, job.id));
  }

  /**
   * Reported after undici has processed the failure: undici asserts that a client has no request then, and
   * the listener may send the next one at once.
   */
  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    queueMicrotask(() => this.#failed(error));
  }

  #failed(error: Error): void {
    const job = this.#job;
    if (job === undefined) return;
    const { onUnsent, onIdle, processor } = this.#options;
    if (!this.#hasStarted && onUnsent?.(job) === true) {
      this.#job = undefined;
      onIdle(this);
      return;
    }
    const code = transportCodeOf(error) ?? error.name;
    const isStarved = this.#hasStarted && isTimeOut(code) && processor.wasStarvedSince(this.#startMs);
    const fault = transportFault(code, this.#hasStarted);
    this.#finish(job, isStarved ? { ...fault, failure: 'edge_starved' } : fault);
  }

  /** Idle before the report, so that the listener can use the connection. */
  #finish(job: Job, reply: RpcReply): void {
    this.#job = undefined;
    this.#controller = undefined;
    this.#chunks = [];
    this.#options.onIdle(this);
    this.#options.listener.onReply(job, withoutSecretsOf(this.#options.address.secrets, reply));
  }
}
