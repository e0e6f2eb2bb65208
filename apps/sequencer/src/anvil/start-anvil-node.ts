import { once } from 'node:events';
import { WebSocket } from 'ws';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Resources } from '#platform/foundation';
import type { Log } from '#platform/observability';
import { FeedServer } from '../feed/feed-server.ts';
import { closeAll, listenOn } from '../listen-on.ts';
import type { SequencerNode } from '../sequencer-node.ts';
import type { SequencerSettings } from '../settings.ts';
import { AnvilClient } from './anvil-client.ts';
import { AnvilProcess } from './anvil-process.ts';
import { BlockFollower } from './block-follower.ts';
import { RawTransactions } from './raw-transactions.ts';

interface HeadNotice {
  readonly params?: { readonly result?: { readonly number?: unknown } };
}

/** Reports the number of each new block of anvil, over WebSocket. */
class HeadSubscription {
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** Resolves when the subscription to anvil's blocks is active. */
  static async open(port: number, onHead: (number: number) => void): Promise<HeadSubscription> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`);
    await once(socket, 'open');
    socket.on('message', (data: Buffer) => {
      const number = (JSON.parse(data.toString()) as HeadNotice).params?.result?.number;
      if (typeof number === 'string') onHead(Number(number));
    });
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
    return new HeadSubscription(socket);
  }

  close(): void {
    this.#socket.terminate();
  }
}

/** Maximum delay between the loss of anvil's connections and the detected end of its process. */
const END_SEEN_MS_MAX = 2_000;

/** Starts anvil behind a JSON-RPC proxy port, with a feed of its blocks. */
export function startAnvilNode(
  settings: SequencerSettings,
  binary: string,
  log: Log,
): Promise<SequencerNode> {
  const parts = new Resources();
  return parts.closingOnFailure(() => openAnvilNode({ settings, binary, log }, parts));
}

interface AnvilNodeOptions {
  readonly settings: SequencerSettings;
  readonly binary: string;
  readonly log: Log;
}

async function openAnvilNode(options: AnvilNodeOptions, parts: Resources): Promise<SequencerNode> {
  const { binary, log, settings } = options;
  const { chainId, blockMs, host } = settings;
  const anvil = await AnvilProcess.start({ binary, chainId, blockMs });
  parts.add(() => anvil.close());
  const client = new AnvilClient(anvil.port);
  parts.add(() => client.close());
  const raws = new RawTransactions(client);
  const feed = new FeedServer({ chainId });
  const feedPort = await feed.listen(settings.feedPort, host);
  parts.add(() => feed.close());
  const follower = new BlockFollower(client, raws, feed, log);
  parts.add(() => follower.close());
  const heads = await HeadSubscription.open(anvil.port, (number) => follower.follow(number));
  parts.add(() => heads.close());
  const proxy = new AnvilProxy(client, raws, log);
  const rpcPort = await proxy.listen(settings.rpcPort, host);
  parts.add(() => proxy.close());
  const failure = Promise.race([anvil.failure, afterAnvil(follower.failure, anvil.failure)]);
  return { rpcPort, feedPort, failure, close: () => parts.close() };
}

/** When anvil exits, its connections break first: the error must report the exit instead. */
async function afterAnvil(failure: Promise<never>, ended: Promise<never>): Promise<never> {
  try {
    return await failure;
  } catch (error) {
    const moment = Promise.withResolvers<undefined>();
    setTimeout(() => {
      moment.resolve(undefined);
    }, END_SEEN_MS_MAX).unref();
    await Promise.race([ended, moment.promise]);
    throw error;
  }
}

const IDLE_MS_MAX = 120_000;

/** Forwards JSON-RPC over HTTP to anvil and back unchanged. */
class AnvilProxy {
  readonly #client: AnvilClient;
  readonly #raws: RawTransactions;
  readonly #log: Log;
  readonly #server: Server;

  constructor(client: AnvilClient, raws: RawTransactions, log: Log) {
    this.#client = client;
    this.#raws = raws;
    this.#log = log;
    this.#server = createServer({ keepAliveTimeout: IDLE_MS_MAX }, (request, response) => {
      this.#pass(request, response).catch((error: unknown) => {
        this.#log.warn({ event: 'sequencer.not_passed', err: error }, 'request not forwarded to anvil');
        response.destroy();
      });
    });
  }

  /** Returns the port. */
  listen(port: number, host: string): Promise<number> {
    return listenOn(this.#server, port, host);
  }

  close(): Promise<void> {
    return closeAll(this.#server);
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' }).end();
      return;
    }
    const body = await buffer(request);
    this.#raws.remember(body);
    const reply = await this.#client.forward(body);
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      'content-length': reply.body.length,
    });
    response.end(reply.body);
  }
}
