/**
 * The broadcast side of Nitro's sequencer feed: WebSocket, a backlog for late clients, pings, version and
 * chain id in the headers of the upgrade. A client's backlog starts at its requested number; without one, or
 * with one that is not kept, it receives the whole backlog.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { encodeBroadcastMessage, type FeedMessage, fromHex, signFeedMessage } from '#load/chain';
import { type Clock, systemClock } from '#platform/foundation';
import { closeAll, listenOn } from '../listen-on.ts';
import { FeedBacklog } from './feed-backlog.ts';
import { FeedSubscriber } from './feed-client.ts';

export interface FeedServerOptions {
  /** The chain id in the header of the upgrade. */
  readonly chainId: number;
  /** The chain id of the signatures; default: the same. */
  readonly signedChainId?: number;
  readonly clock?: Clock;
}

const VERSION = 2;
/** The second of anvil's well-known development accounts, 0x70997970C51812dc3A010C7d01b50e0d17dc79C8. */
const SIGNER_KEY = fromHex('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');
const PING_MS = 5_000;
const SILENCE_MS_MAX = 15_000;
/** Clients send no messages. */
const INCOMING_BYTES_MAX = 1_024;

export class FeedServer {
  readonly #backlog = new FeedBacklog();
  readonly #clients = new Set<FeedSubscriber>();
  readonly #clock: Clock;
  readonly #signedChainId: number;
  readonly #server: Server;
  readonly #sockets: WebSocketServer;
  readonly #pings: NodeJS.Timeout;

  constructor({ chainId, signedChainId = chainId, clock = systemClock }: FeedServerOptions) {
    this.#clock = clock;
    this.#signedChainId = signedChainId;
    this.#sockets = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: INCOMING_BYTES_MAX,
    });
    this.#sockets.on('headers', (headers) => {
      headers.push(`Arbitrum-Feed-Server-Version: ${VERSION}`, `Arbitrum-Chain-Id: ${chainId}`);
    });
    this.#server = createServer((_, response) => {
      response.writeHead(426, { 'content-type': 'text/plain' }).end('the feed speaks WebSocket\n');
    });
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    this.#pings = setInterval(() => this.#checkClients(), PING_MS).unref();
  }

  get clientCount(): number {
    return this.#clients.size;
  }

  /** Returns the port. */
  listen(port: number, host: string): Promise<number> {
    return listenOn(this.#server, port, host);
  }

  /** Sends a message to every client, and keeps it for later clients. Numbers increase. */
  publish(message: FeedMessage): void {
    this.#backlog.append({
      sequenceNumber: message.sequenceNumber,
      json: this.#signed(message),
    });
    for (const client of this.#clients) client.pump();
  }

  /** Repeats a message to the clients that have it, and keeps it once. */
  repeat(message: FeedMessage): void {
    this.#sendAside(this.#signed(message));
  }

  /** Sends a replacement under the number of the latest message, and keeps it instead. */
  replaceLatest(message: FeedMessage): void {
    const json = this.#signed(message);
    this.#backlog.replaceLatest({ sequenceNumber: message.sequenceNumber, json });
    this.#sendAside(json);
  }

  /** Closes every connection. */
  disconnectAll(): void {
    for (const client of this.#clients) client.cut();
  }

  async close(): Promise<void> {
    clearInterval(this.#pings);
    this.disconnectAll();
    await closeAll(this.#server);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refusal = refusalOf(request);
    if (refusal !== undefined) {
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: ${refusal.length}\r\n\r\n${refusal}`,
      );
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (client) => this.#admit(client, request));
  }

  #admit(socket: WebSocket, request: IncomingMessage): void {
    const place = this.#backlog.placeOf(countOf(request, 'requested-sequence-number'));
    const client = new FeedSubscriber(socket, this.#backlog, { place, nowMs: this.#clock.monotonicMs() });
    this.#clients.add(client);
    for (const event of ['message', 'ping', 'pong'] as const) {
      socket.on(event, () => client.heard(this.#clock.monotonicMs()));
    }
    socket.on('close', () => this.#clients.delete(client));
    // 'close' follows.
    socket.on('error', () => client.cut());
    client.pump();
  }

  #signed(message: FeedMessage): string {
    return encodeBroadcastMessage(signFeedMessage(message, this.#signedChainId, SIGNER_KEY));
  }

  #sendAside(json: string): void {
    for (const client of this.#clients) if (client.isCurrent) client.sendAside(json);
  }

  #checkClients(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const client of this.#clients) client.check(nowMs, SILENCE_MS_MAX);
  }
}

/** Why a client is rejected, in Nitro's words. */
function refusalOf(request: IncomingMessage): string | undefined {
  for (const name of ['feed-client-version', 'requested-sequence-number'] as const) {
    if (Number.isNaN(countOf(request, name))) return `Malformed HTTP header Arbitrum-${name}`;
  }
  const version = countOf(request, 'feed-client-version') ?? VERSION;
  return version < VERSION ? `Feed Client version too old: ${version}, expected ${VERSION}` : undefined;
}

/** Undefined without the header, NaN if it is not a number. */
function countOf(request: IncomingMessage, name: string): number | undefined {
  const text = request.headers[`arbitrum-${name}`];
  if (text === undefined) return undefined;
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : NaN;
}
