import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { encodeFeedMessage, encodeL2Message, L2_MESSAGE_KIND } from '#load/chain';
import { Story } from '#testing';

export interface ScriptedFeedOptions {
  /** Headers of the upgrade. Default: version 2 of chain 412346. */
  readonly headers?: readonly string[];
}

/** A real WebSocket server that sends scripted frames. */
export class ScriptedFeed {
  readonly connections = new Story<{ readonly socket: WebSocket; readonly headers: IncomingHttpHeaders }>();
  url = '';
  readonly #server: Server;
  readonly #sockets: WebSocketServer;

  static async start(options: ScriptedFeedOptions = {}): Promise<ScriptedFeed> {
    const feed = new ScriptedFeed(options);
    feed.#server.listen(0, '127.0.0.1');
    await once(feed.#server, 'listening');
    feed.url = `ws://127.0.0.1:${(feed.#server.address() as AddressInfo).port}`;
    return feed;
  }

  private constructor({ headers = CHAIN_HEADERS }: ScriptedFeedOptions) {
    this.#server = createServer();
    this.#sockets = new WebSocketServer({ server: this.#server });
    this.#sockets.on('headers', (lines) => lines.push(...headers));
    this.#sockets.on('connection', (socket, request) => {
      this.connections.record({ socket, headers: request.headers });
    });
  }

  /** The n-th connection, from 1. */
  async connection(
    n: number,
  ): Promise<{ readonly socket: WebSocket; readonly headers: IncomingHttpHeaders }> {
    return this.connections.until(() => true, n);
  }

  async stop(): Promise<void> {
    for (const { socket } of this.connections.entries) socket.terminate();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

export const CHAIN_HEADERS = ['Arbitrum-Feed-Server-Version: 2', 'Arbitrum-Chain-Id: 412346'];

/** A frame of one message with the given signed transactions. */
export function frame(
  sequenceNumber: number,
  transactions: readonly Uint8Array[] = [],
  timestamp = 1_700_000_000,
): string {
  return encodeFeedMessage({
    sequenceNumber,
    kind: L2_MESSAGE_KIND,
    timestamp,
    parentBlockNumber: 1,
    l2Msg: encodeL2Message(transactions),
    blockHash: null,
  });
}
