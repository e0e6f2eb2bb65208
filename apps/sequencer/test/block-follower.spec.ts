import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createLogger } from '#platform/observability';
import { Story } from '#testing';
import { AnvilClient } from '../src/anvil/anvil-client.ts';
import { BlockFollower } from '../src/anvil/block-follower.ts';
import { RawTransactions } from '../src/anvil/raw-transactions.ts';
import { FeedServer } from '../src/feed/feed-server.ts';
import { FeedReader } from './support/feed-reader.ts';

interface BlockRequest {
  readonly id: number;
  readonly params: readonly [string];
}

/** A node with the blocks up to its head, which records the requested ones. */
class HeadedNode {
  head = 0;
  readonly asked = new Story<number>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      void json(request).then((body) => {
        const { id, params } = body as BlockRequest;
        const number = Number(params[0]);
        const block = {
          hash: `0x${params[0].slice(2).padStart(64, '0')}`,
          timestamp: '0x1',
          transactions: [],
        };
        const result = number <= this.head ? block : null;
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
        this.asked.record(number);
      });
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

describe('BlockFollower', () => {
  const node = new HeadedNode();
  const feed = new FeedServer({ chainId: 1 });
  let client: AnvilClient;
  let follower: BlockFollower;
  let reader: FeedReader;

  beforeEach(async () => {
    client = new AnvilClient(await node.listen());
    const log = createLogger({ format: 'json', level: 'silent' });
    follower = new BlockFollower(client, new RawTransactions(client), feed, log);
    reader = await FeedReader.open(await feed.listen(0, '127.0.0.1'));
  });

  afterEach(async () => {
    reader.close();
    await feed.close();
    await client.close();
    await node.close();
  });

  it('waits for the replacement of a block that was reverted before it was read', async () => {
    node.head = 2;
    follower.follow(4);
    await node.asked.until((number) => number === 3);
    await reader.until(({ messages }) => messages.length === 3);

    node.head = 4;
    follower.follow(4);

    await reader.until(({ messages }) => messages.length === 5);
    expect(reader.numbers).toEqual([0, 1, 2, 3, 4]);
  });
});
