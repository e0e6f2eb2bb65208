/**
 * Compares the feed with the chain. A message makes a block. A received message that differs from its block,
 * or that no block contains, is a contradiction; a block without a message is not.
 *
 * 1. A message belongs to the block with its block hash. A message with no hash or an unknown hash belongs to
 *    the block given by its sequence number, counted from the nearest messages with a known block; the first
 *    message is matched by a transaction. Messages with the same block hash are parts of one message.
 * 2. Blocks are compared in order, once they are too deep for a reorganisation, or at the end: until then
 *    both feed and chain may still change. Messages from before the replacement of a block belong to the old
 *    block. A block whose message comes later is compared at the end.
 * 3. A message with a block hash that is not on the chain may belong to a block that was replaced before it
 *    was read, on a chain that sends no messages for replacement blocks. This is decided at the end: if no
 *    block was seen replaced, and more messages have such a hash than the feed can have been ahead of the
 *    reader, the hashes are false. Otherwise they are unconfirmed.
 * 4. Equal lists of hashes are equal bytes. Only unequal lists are compared further: transactions missing
 *    from the block, own transactions missing from the message (other senders are unknown), and a different
 *    order. Messages of other kinds have no user transactions, and excuse none.
 * 5. At the end, no block is left for a message that stands between those of two adjacent blocks, or that
 *    repeats a block. A message beyond the last block, or near replaced or unread blocks, is unconfirmed.
 */
import { fromHex, toHex } from '#load/chain';
import { FEED_FLAGS, type FindingKind } from '#load/telemetry';
import { countedText } from '#platform/foundation';
import type { FeedEvent } from '../feed/feed-event.ts';
import { REMEMBERED_BLOCKS } from '../settlement/chain-tip.ts';
import { differencesOf, textsOf } from './feed-differences.ts';
import type { FindingFacts } from './finding-log.ts';
import { MatchedBlocks } from './matched-blocks.ts';
import { type ReceivedMessage, receivedMessage, ReceivedMessages } from './received-messages.ts';

/** The part of a block that its feed message contains. */
export interface ComparedBlock {
  readonly blockNumber: number;
  readonly hash: Uint8Array;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly txHashes: Uint8Array;
}

export interface FeedCheckOptions {
  readonly onFinding: (kind: FindingKind, facts: FindingFacts) => void;
  /** Whether the run has sent the transaction. */
  readonly isOwn: (hash: Uint8Array) => boolean;
  /** The last block before the run. */
  readonly start: { readonly number: number; readonly hash: Uint8Array };
}

interface KeptBlock extends ComparedBlock {
  /** The time of the block before; the block's own if that is unknown. */
  readonly parentTimestamp: number;
}

/** A block, and its messages with another hash. */
interface Suspect {
  readonly block: KeptBlock;
  readonly messages: readonly ReceivedMessage[];
}

/** Maximum number of blocks by which the chain is ahead of its reader when a replacement is detected. */
const UNREAD_BLOCKS = 8;
/** Maximum number of kept messages with a block hash that is not on the chain. */
const SUSPECTS_MAX = 1_024;
/** Maximum number of kept blocks without a message. */
const BLOCKS_MAX = 4_096;
/** Maximum number of findings for one message. */
const FINDINGS_MAX = 16;

export class FeedCheck {
  readonly #options: FeedCheckOptions;
  /** Blocks that were not compared yet. */
  readonly #blocks = new Map<number, KeptBlock>();
  /** Numbers of all blocks read, by hash. */
  readonly #numbers = new Map<string, number>();
  readonly #messages = new ReceivedMessages();
  readonly #matched = new MatchedBlocks();
  readonly #suspects: Suspect[] = [];
  /** Maximum number of blocks that may have been sent and replaced before they were read. */
  #unseenMax = UNREAD_BLOCKS;
  #wasReplaced = false;
  #hasUnconfirmed = false;
  /** Whether blocks are missing or were given up, so that a message without a block proves nothing. */
  #hasHole = false;
  #isAfterEnd = false;
  #lastBlock: number;
  /** Timestamp of the last block read. */
  #timestamp: number | undefined;
  /** The last message before the end of the drain. */
  #lastMessage: { readonly sequence: number; readonly blockHash: string | null } | undefined;
  /** The last block number that may have been replaced before it was read. */
  #doubtfulTo = 0;
  #nextJudged: number;

  constructor(options: FeedCheckOptions) {
    const { number, hash } = options.start;
    this.#options = options;
    this.#nextJudged = number + 1;
    this.#lastBlock = number;
    this.#numbers.set(toHex(hash), number);
  }

  /** After {@link end}: whether the feed contained block hashes that could not be confirmed. */
  get hasUnconfirmed(): boolean {
    return this.#hasUnconfirmed;
  }

  /** Whether the block of the last message before the end of the drain was read. */
  get isCaughtUp(): boolean {
    const last = this.#lastMessage;
    if (last === undefined) return true;
    if (last.blockHash !== null && this.#numbers.has(last.blockHash)) return true;
    const block = this.blockOf(last.sequence);
    return block !== null && block <= this.#lastBlock;
  }

  message(event: FeedEvent): void {
    const { sequenceNumber: sequence } = event;
    const ahead = Math.min((this.blockOf(sequence) ?? 0) - this.#lastBlock, REMEMBERED_BLOCKS);
    this.#unseenMax = Math.max(this.#unseenMax, ahead);
    const received = receivedMessage(event, { lateFlag: FEED_FLAGS.late, isAfterEnd: this.#isAfterEnd });
    const { blockHash } = received;
    if (blockHash === toHex(this.#options.start.hash) && this.#isOfStart(sequence)) {
      this.#matched.add({ sequence, blockNumber: this.#options.start.number });
      return;
    }
    if (!this.#isAfterEnd) this.#lastMessage = { sequence, blockHash };
    this.#messages.add(received);
  }

  /** Whether it may be a part of the message of the block before the run. */
  #isOfStart(sequence: number): boolean {
    const { last } = this.#matched;
    if (last === undefined) return true;
    return last.blockNumber === this.#options.start.number && sequence === last.sequence + 1;
  }

  /** The block number for a sequence number, by the nearest known pairs; null before the first. */
  blockOf(sequence: number): number | null {
    return this.#matched.blockOf(sequence) ?? null;
  }

  block({ blockNumber, hash, timestamp, txHashes }: ComparedBlock): void {
    this.#hasHole ||= blockNumber > this.#lastBlock + 1;
    const parentTimestamp = this.#timestamp ?? timestamp;
    this.#timestamp = timestamp;
    this.#blocks.set(blockNumber, { blockNumber, hash, timestamp, parentTimestamp, txHashes });
    this.#numbers.set(toHex(hash), blockNumber);
    this.#lastBlock = blockNumber;
    while (this.#nextJudged <= blockNumber - REMEMBERED_BLOCKS) this.#judge(this.#nextJudged++);
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= BLOCKS_MAX) break;
      this.#blocks.delete(oldest);
      this.#hasHole = true;
    }
  }

  /** The block was replaced; its earlier messages belong to the old block. */
  replaced(blockNumber: number): void {
    const block = this.#blocks.get(blockNumber);
    this.#wasReplaced = true;
    this.#lastBlock = Math.min(this.#lastBlock, blockNumber - 1);
    this.#timestamp = undefined;
    if (block === undefined) return;
    this.#blocks.delete(blockNumber);
    this.#numbers.delete(toHex(block.hash));
    this.#doubtfulTo = Math.max(this.#doubtfulTo, blockNumber + UNREAD_BLOCKS);
    this.#messages.markOld(({ blockHash }) => blockHash === null || !this.#numbers.has(blockHash));
  }

  /** The drain is over: the blocks of later messages may stay unread. */
  endDrain(): void {
    this.#isAfterEnd = true;
  }

  /** Compares the remaining blocks, and decides on the unknown hashes and the messages without a block. */
  end(): void {
    while (this.#nextJudged <= this.#lastBlock) this.#judge(this.#nextJudged++);
    for (const blockNumber of [...this.#blocks.keys()]) this.#judge(blockNumber);
    const isFalse = !this.#wasReplaced && this.#suspects.length > this.#unseenMax;
    for (const { block, messages } of this.#suspects.splice(0)) {
      if (isFalse) this.#contradict(block, messages);
      else this.#doubt(messages.at(-1), block);
    }
    for (const message of this.#messages.values()) this.#judgeLeftOver(message);
  }

  /** A block without a message is kept, since its message may still come. */
  #judge(blockNumber: number): void {
    const block = this.#blocks.get(blockNumber);
    if (block === undefined) return;
    const messages = this.#messagesOf(block);
    const last = messages.at(-1);
    if (last === undefined) return;
    this.#blocks.delete(blockNumber);
    this.#compareOrder(block, last);
    this.#matched.add({ sequence: last.sequence, blockNumber });
    const isOld = messages.some(({ sequence }) => this.#messages.isOld(sequence));
    for (const { sequence } of messages) this.#messages.forget(sequence);
    const isDoubtful = isOld || blockNumber <= this.#doubtfulTo;
    const isOther = toHex(block.hash) !== last.blockHash;
    if (isDoubtful && isOther) return;
    if (last.blockHash === null || !isOther) this.#contradict(block, messages);
    else if (this.#suspects.length < SUSPECTS_MAX) this.#suspects.push({ block, messages });
  }

  /** Reports the differences between the messages and their block. */
  #contradict(block: KeptBlock, messages: readonly ReceivedMessage[]): void {
    const last = messages.at(-1);
    if (last === undefined) return;
    this.#compareHash(block, last);
    this.#compareTransactions(block, messages);
    for (const message of messages) this.#compareTime(block, message);
    if (messages.length === 1) return;
    for (const message of messages) if (message.hashes.length === 0) this.#refuse(message, block);
  }

  #doubt(message: ReceivedMessage | undefined, block?: ComparedBlock): void {
    this.#hasUnconfirmed = true;
    this.#options.onFinding('feed_unconfirmed', {
      block_number: block?.blockNumber ?? null,
      sequence_number: message?.sequence ?? null,
      expected: block === undefined ? null : toHex(block.hash),
      observed: message?.blockHash ?? null,
    });
  }

  /** Whether blocks or messages are unknown to which a message without a block could belong. */
  get #isUncertain(): boolean {
    return this.#wasReplaced || this.#hasHole || this.#messages.hasDropped;
  }

  /** A message that was not compared with a block. */
  #judgeLeftOver(message: ReceivedMessage): void {
    const { sequence, isAfterEnd, isLate } = message;
    if (isAfterEnd || this.#messages.isOld(sequence)) return;
    const blockNumber = this.blockOf(sequence);
    // Without any known pair, an empty message without a hash claims nothing.
    if (blockNumber === null && isEmpty(message)) return;
    const block = blockNumber ?? Infinity;
    const isBefore = block <= this.#options.start.number;
    if (isBefore && !isLate) return;
    if (isBefore || block > this.#lastBlock || this.#isUncertain) this.#doubt(message);
    else this.#refuse(message);
  }

  /** Reports a message that no block contains; `block` is the one that other messages contain. */
  #refuse({ sequence, blockHash, hashes }: ReceivedMessage, block?: ComparedBlock): void {
    const [first = null] = textsOf(hashes.subarray(0, 32));
    const named = blockHash === null ? 'without a block hash' : `with the block hash ${blockHash}`;
    this.#options.onFinding('feed_without_block', {
      block_number: block?.blockNumber ?? null,
      sequence_number: sequence,
      hash: first === null ? null : fromHex(first),
      expected:
        block === undefined ? 'a block for each message' : 'one message without transactions for a block',
      observed: `${countedText(hashes.length / 32, 'transaction')} ${named}`,
    });
  }

  /** Sorted by sequence number. */
  #messagesOf(block: ComparedBlock): readonly ReceivedMessage[] {
    const named = this.#messages.withHash(toHex(block.hash));
    if (named.length > 0) return named;
    const message = this.#messages.at(this.#numberOf(block) ?? -1);
    // A message with the hash of another block does not belong to this one.
    const isOther =
      message !== undefined && message.blockHash !== null && this.#numbers.has(message.blockHash);
    return message === undefined || isOther ? [] : [message];
  }

  /** Finds a block's sequence number by the nearest messages with a known block; else by a transaction. */
  #numberOf({ blockNumber, txHashes }: ComparedBlock): number | undefined {
    const counted = this.#matched.sequenceOf(blockNumber);
    if (counted !== undefined || txHashes.length === 0) return counted;
    const wanted = new Set(textsOf(txHashes));
    for (const { sequence, hashes } of this.#messages.values()) {
      if (textsOf(hashes).some((hash) => wanted.has(hash))) return sequence;
    }
    return undefined;
  }

  #compareHash({ blockNumber, hash }: ComparedBlock, { blockHash, sequence }: ReceivedMessage): void {
    const expected = toHex(hash);
    if (blockHash === null || blockHash === expected) return;
    const place = { block_number: blockNumber, sequence_number: sequence };
    this.#options.onFinding('feed_block_hash', { ...place, expected, observed: blockHash });
  }

  /** Messages are numbered in the order of their blocks. */
  #compareOrder({ blockNumber }: ComparedBlock, { sequence }: ReceivedMessage): void {
    const { last } = this.#matched;
    if (this.#wasReplaced || last === undefined || last.blockNumber > blockNumber) return;
    if (last.sequence < sequence) return;
    this.#options.onFinding('feed_order', {
      block_number: blockNumber,
      sequence_number: sequence,
      expected: `a number above ${last.sequence}, that of block ${last.blockNumber}`,
      observed: `number ${sequence}`,
    });
  }

  /** A chain gives a block the time of its message, or of its parent if that is later. */
  #compareTime(
    { blockNumber, timestamp, parentTimestamp }: KeptBlock,
    { sequence, ...received }: ReceivedMessage,
  ): void {
    if (received.timestamp === timestamp || (received.isDelayed && received.timestamp < timestamp)) return;
    if (received.timestamp < timestamp && parentTimestamp === timestamp) return;
    this.#options.onFinding('feed_time', {
      block_number: blockNumber,
      sequence_number: sequence,
      expected: `time ${timestamp} as in its block`,
      observed: `time ${received.timestamp}`,
    });
  }

  #compareTransactions({ blockNumber, txHashes }: ComparedBlock, messages: readonly ReceivedMessage[]): void {
    const [only] = messages;
    const received = messages.length === 1 && only !== undefined ? only.hashes : joined(messages);
    if (Buffer.compare(received, txHashes) === 0) return;
    const last = messages.at(-1);
    const place = { block_number: blockNumber, sequence_number: last?.sequence ?? null };
    const differences = differencesOf(textsOf(received), textsOf(txHashes), this.#options.isOwn);
    // The parent chain's inbox takes any transactions; a block has the valid ones.
    const delayed = new Set(messages.flatMap(({ isDelayed, hashes }) => (isDelayed ? textsOf(hashes) : [])));
    const proven = differences.filter(({ kind, hash }) => kind !== 'feed_not_in_block' || !delayed.has(hash));
    if (proven.length < differences.length) this.#doubt(last);
    for (const { kind, hash, ...facts } of proven.slice(0, FINDINGS_MAX)) {
      this.#options.onFinding(kind, { ...place, hash: fromHex(hash), ...facts });
    }
  }
}

function isEmpty({ blockHash, hashes }: ReceivedMessage): boolean {
  return blockHash === null && hashes.length === 0;
}

function joined(messages: readonly ReceivedMessage[]): Uint8Array {
  return Buffer.concat(messages.map(({ hashes }) => hashes));
}
