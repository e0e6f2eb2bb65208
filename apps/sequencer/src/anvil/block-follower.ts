/**
 * Makes a feed of anvil's blocks: for each one a message with all its transactions, as a sequencer would
 * have broadcast it. One that holds more than a message may is told in several. Blocks that anvil takes
 * back (evm_revert, anvil_reorg) are not told again.
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

export interface FollowerParts {
  readonly client: AnvilClient;
  readonly raws: RawTransactions;
  readonly feed: FeedServer;
  readonly log: Log;
}

export class BlockFollower {
  readonly #parts: FollowerParts;
  #nextBlock = 0;
  #nextMessage = 0;
  #wanted = -1;
  /** How often a block was announced. */
  #announced = 0;
  #isBusy = false;
  #isClosed = false;
  readonly #failed = Promise.withResolvers<never>();

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.failure.catch(() => undefined);
  }

  /** Rejects when anvil gives what is no block, or has gone. */
  get failure(): Promise<never> {
    return this.#failed.promise;
  }

  /** Tells of all blocks up to this one, in order, as soon as it can. */
  follow(number: number): void {
    this.#wanted = Math.max(this.#wanted, number);
    this.#announced++;
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#catchUp().catch((error: unknown) => {
      if (!this.#isClosed) this.#failed.reject(error);
    });
  }

  /** What it is at may fail from now on. */
  close(): void {
    this.#isClosed = true;
  }

  async #catchUp(): Promise<void> {
    while (this.#nextBlock <= this.#wanted) {
      const announced = this.#announced;
      const block = await this.#block(this.#nextBlock);
      if (block !== undefined) {
        this.#nextBlock++;
        await this.#tell(block);
      } else if (announced === this.#announced) {
        // Anvil has taken it back since it announced it, and announces what comes in its place.
        this.#wanted = this.#nextBlock - 1;
      }
    }
    this.#isBusy = false;
  }

  async #tell(block: AnvilBlock): Promise<void> {
    const raws: Uint8Array[] = [];
    for (const hash of block.transactions) {
      const raw = await this.#parts.raws.take(hash);
      if (raw !== undefined) raws.push(raw);
      else
        this.#parts.log.warn(
          { event: 'sequencer.not_in_feed', hash },
          'a transaction cannot be told in the feed',
        );
    }
    for (const l2Msg of messagesOf(raws)) {
      this.#parts.feed.publish(this.#messageOf(block, l2Msg));
    }
  }

  /** Undefined when anvil does not have it. */
  async #block(number: number): Promise<AnvilBlock | undefined> {
    const value = await this.#parts.client.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
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

/** As few messages as hold all of them; one at least, empty if need be. */
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
