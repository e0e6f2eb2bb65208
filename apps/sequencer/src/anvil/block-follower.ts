/**
 * Builds a feed from anvil's blocks: one message per block with all its transactions, like the broadcast of a
 * sequencer. A block above the size limit of a message is split into several. Blocks that anvil reverts
 * (evm_revert, anvil_reorg) are not sent again.
 */
import {
  batchedBytes,
  encodeL2Message,
  type FeedMessage,
  L2_MESSAGE_BYTES_MAX,
  L2_MESSAGE_KIND,
} from '#load/chain';
import { DomainError } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { FeedServer } from '../feed/feed-server.ts';
import type { AnvilClient } from './anvil-client.ts';
import type { RawTransactions } from './raw-transactions.ts';

interface AnvilBlock {
  readonly hash: string;
  readonly timestamp: number;
  readonly transactions: readonly string[];
}

export class BlockFollower {
  readonly #client: AnvilClient;
  readonly #raws: RawTransactions;
  readonly #feed: FeedServer;
  readonly #log: Log;
  #nextBlock = 0;
  #nextMessage = 0;
  #wanted = -1;
  /** Number of block announcements. */
  #announced = 0;
  #isBusy = false;
  #isClosed = false;
  readonly #failed = Promise.withResolvers<never>();

  constructor(client: AnvilClient, raws: RawTransactions, feed: FeedServer, log: Log) {
    this.#client = client;
    this.#raws = raws;
    this.#feed = feed;
    this.#log = log;
    this.failure.catch(() => undefined);
  }

  /** Rejects if anvil returns an invalid block, or has exited. */
  get failure(): Promise<never> {
    return this.#failed.promise;
  }

  /** Publishes all blocks up to this one, in order, as soon as possible. */
  follow(number: number): void {
    this.#wanted = Math.max(this.#wanted, number);
    this.#announced++;
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#catchUp().catch((error: unknown) => {
      if (!this.#isClosed) this.#failed.reject(error);
    });
  }

  /** Failures of pending work are ignored from now on. */
  close(): void {
    this.#isClosed = true;
  }

  async #catchUp(): Promise<void> {
    while (this.#nextBlock <= this.#wanted) {
      const announced = this.#announced;
      const block = await this.#block(this.#nextBlock);
      if (block !== undefined) {
        this.#nextBlock++;
        await this.#publish(block);
      } else if (announced === this.#announced) {
        // Anvil has reverted the announced block, and will announce its replacement.
        this.#wanted = this.#nextBlock - 1;
      }
    }
    this.#isBusy = false;
  }

  async #publish(block: AnvilBlock): Promise<void> {
    const raws: Uint8Array[] = [];
    for (const hash of block.transactions) {
      const raw = await this.#raws.take(hash);
      if (raw !== undefined) raws.push(raw);
      else
        this.#log.warn({ event: 'sequencer.not_in_feed', hash }, 'transaction not representable in the feed');
    }
    for (const l2Msg of messagesOf(raws)) {
      this.#feed.publish(this.#messageOf(block, l2Msg));
    }
  }

  /** Undefined if anvil does not have it. */
  async #block(number: number): Promise<AnvilBlock | undefined> {
    const value = await this.#client.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
    if (value === null) return undefined;
    const { hash, timestamp, transactions } = value as Readonly<Record<string, unknown>>;
    if (typeof hash !== 'string' || !Array.isArray(transactions)) {
      throw new DomainError(
        'WIRE_FORMAT',
        `expected block ${number} from anvil, got ${JSON.stringify(value)}`,
      );
    }
    return { hash, timestamp: Number(timestamp), transactions: transactions.map(String) };
  }

  #messageOf({ hash, timestamp }: AnvilBlock, l2Msg: Uint8Array): FeedMessage {
    return {
      sequenceNumber: this.#nextMessage++,
      kind: L2_MESSAGE_KIND,
      timestamp,
      parentBlockNumber: 0,
      l2Msg,
      blockHash: hash,
    };
  }
}

/** The fewest messages that hold all transactions; at least one, possibly empty. */
function messagesOf(raws: readonly Uint8Array[]): Uint8Array[] {
  const messages: Uint8Array[] = [];
  let part: Uint8Array[] = [];
  let bytes = 1;
  for (const raw of raws) {
    if (bytes + batchedBytes(raw) > L2_MESSAGE_BYTES_MAX && part.length > 0) {
      messages.push(encodeL2Message(part));
      part = [];
      bytes = 1;
    }
    part.push(raw);
    bytes += batchedBytes(raw);
  }
  return [...messages, encodeL2Message(part)];
}
