/**
 * A proxy between a load test and the JSON-RPC and feed of a real sequencer. It applies one lie consistently,
 * to every client and every answer that the lie concerns.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { WebSocket, WebSocketServer } from 'ws';
import { decodeTransaction, fromHex, keccak256, toHex } from '#load/chain';
import type { Answer, FeedJson, Json, Lie, MakeLie, NodeCall, SentTransaction, HonestNode } from './lie.ts';

export interface LyingProxyOptions {
  readonly rpcUrl: string;
  readonly feedUrl: string;
  readonly lie: MakeLie;
}

/** Transactions of this value or more are preparation: funding and reclaiming. */
const LOAD_VALUE_MAX = 10n ** 9n;
/** Transactions of this size or more deploy contracts for the load. */
const LOAD_BYTES_MAX = 1_000;
const REQUESTED = 'arbitrum-requested-sequence-number';

interface Request extends NodeCall {
  readonly id: unknown;
}

export class LyingProxy implements HonestNode {
  readonly #options: LyingProxyOptions;
  readonly #rpc: Server;
  readonly #feed = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  readonly #upstream: WebSocket;
  readonly #sent = new Map<string, SentTransaction>();
  readonly #forwarded: FeedJson[] = [];
  readonly #lie: Lie;
  rpcUrl = '';
  feedUrl = '';
  #headers: readonly string[] = [];
  #hasLoad = false;

  /** Resolves when JSON-RPC listens and the sequencer's feed is connected. */
  static async start(options: LyingProxyOptions): Promise<LyingProxy> {
    const proxy = new LyingProxy(options);
    proxy.#rpc.listen(0, '127.0.0.1');
    await Promise.all([once(proxy.#rpc, 'listening'), once(proxy.#upstream, 'open')]);
    proxy.rpcUrl = `http://127.0.0.1:${(proxy.#rpc.address() as AddressInfo).port}`;
    proxy.feedUrl = `ws://127.0.0.1:${(proxy.#feed.address() as AddressInfo).port}`;
    return proxy;
  }

  private constructor(options: LyingProxyOptions) {
    this.#options = options;
    this.#lie = options.lie(this);
    this.#rpc = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
    this.#upstream = new WebSocket(options.feedUrl, { headers: { 'Arbitrum-Feed-Client-Version': '2' } });
    this.#upstream.on('upgrade', ({ headers }) => {
      const names = ['arbitrum-feed-server-version', 'arbitrum-chain-id'];
      this.#headers = names.map((name) => `${name}: ${String(headers[name])}`);
    });
    this.#upstream.on('message', (data: Buffer) => {
      const { messages = [] } = JSON.parse(data.toString()) as { readonly messages?: readonly FeedJson[] };
      for (const message of messages) {
        for (const forged of this.#lie.feed?.(message) ?? [message]) this.send(forged);
      }
    });
    this.#feed.on('headers', (lines) => lines.push(...this.#headers));
    this.#feed.on('connection', (socket, request) => {
      const from = Number(request.headers[REQUESTED] ?? 0);
      for (const message of this.#forwarded)
        if (message.sequenceNumber >= from) socket.send(frameOf(message));
    });
  }

  async ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const answer = await this.#forward({ method, params });
    return 'result' in answer ? answer.result : undefined;
  }

  sentBy(hash: string): SentTransaction | undefined {
    return this.#sent.get(hash);
  }

  hashOf(raw: string): string {
    return toHex(keccak256(fromHex(raw)));
  }

  isLoad(hash: string): boolean {
    const sent = this.#sent.get(hash);
    return sent !== undefined && sent.value < LOAD_VALUE_MAX && sent.raw.length < LOAD_BYTES_MAX;
  }

  get hasLoad(): boolean {
    return this.#hasLoad;
  }

  sendText(text: string): void {
    for (const client of this.#feed.clients) client.send(text);
  }

  send(message: FeedJson): void {
    this.#forwarded.push(message);
    for (const client of this.#feed.clients) client.send(frameOf(message));
  }

  async close(): Promise<void> {
    this.#upstream.terminate();
    for (const client of this.#feed.clients) client.terminate();
    const closed = [once(this.#rpc, 'close'), once(this.#feed, 'close')];
    this.#rpc.close();
    this.#rpc.closeAllConnections();
    this.#feed.close();
    await Promise.all(closed);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(request)) as Request | Request[];
    const all: readonly Request[] = Array.isArray(body) ? body : [body];
    const own = await this.#lie.reply?.(all);
    if (own !== undefined) {
      response.writeHead(own.status, own.headers).end(own.body);
      return;
    }
    const answers = await Promise.all(all.map((one) => this.#answer(one)));
    const reply = JSON.stringify(Array.isArray(body) ? answers : answers[0]);
    response.writeHead(200, { 'content-type': 'application/json' }).end(reply);
  }

  async #answer(request: Request): Promise<Json> {
    if (request.method === 'eth_sendRawTransaction') this.#remember(String(request.params[0]));
    const made = (await this.#lie.instead?.(request)) ?? (await this.#forward(request));
    const forged =
      'result' in made && this.#lie.answer !== undefined
        ? { result: await this.#lie.answer(request, made.result) }
        : made;
    return { jsonrpc: '2.0', id: request.id, ...forged };
  }

  #remember(raw: string): void {
    const bytes = fromHex(raw);
    const { hash, sender, nonce, to, value, gasLimit } = decodeTransaction(bytes);
    this.#sent.set(toHex(hash), {
      raw: bytes,
      hash: toHex(hash),
      sender: toHex(sender),
      receiver: to === null ? null : toHex(to),
      nonce,
      value,
      gasLimit,
    });
    this.#hasLoad ||= this.isLoad(toHex(hash));
  }

  async #forward({ method, params }: NodeCall): Promise<Answer> {
    const reply = await fetch(this.#options.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await reply.json()) as { readonly result?: unknown; readonly error?: Json };
    return error === undefined ? { result } : { error };
  }
}

function frameOf(message: FeedJson): string {
  return JSON.stringify({ version: 1, messages: [message] });
}
