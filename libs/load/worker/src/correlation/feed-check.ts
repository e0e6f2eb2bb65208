/**
 * Compares the feed with the chain. A message makes a block. A received message that differs from its block
 * is a contradiction; a block without a message is not.
 *
 * 1. A message belongs to the block with its block hash. A message with no hash or an unknown hash belongs to
 *    the block given by its sequence number, counted from the last message with a known block; the first
 *    message is matched by a transaction. Messages with the same block hash are parts of one message.
 * 2. Blocks are compared in order, once they are too deep for a reorganisation, or at the end: until then
 *    both feed and chain may still change. Messages from before the replacement of a block belong to the old
 *    block.
 * 3. A message with a block hash that is not on the chain may belong to a block that was replaced before it
 *    was read, on a chain that sends no messages for replacement blocks. This is decided at the end: if no
 *    block was seen replaced, and more messages have such a hash than the feed can have been ahead of the
 *    reader, the hashes are false. Otherwise they are unconfirmed.
 * 4. Equal lists of hashes are equal bytes. Only unequal lists are compared further: transactions missing
 *    from the block, own transactions missing from the message (other senders are unknown), and a different
 *    order.
 */
import { fromHex, toHex } from '#load/chain';
import type { FindingKind } from '#load/telemetry';
import type { FeedEvent } from '../feed/feed-event.ts';
import { REMEMBERED_BLOCKS } from '../settlement/chain-tip.ts';
import type { FindingFacts } from './finding-log.ts';

/** The part of a block that its feed message contains. */
export interface ToldBlock {
  readonly blockNumber: number;
  readonly hash: Uint8Array;
  readonly txHashes: Uint8Array;
}

export interface FeedCheckOptions {
  readonly onFinding: (kind: FindingKind, facts: FindingFacts) => void;
  /** Whether the run has sent the transaction. */
  readonly isOwn: (hash: Uint8Array) => boolean;
  /** The last block before the run. */
  readonly start: { readonly number: number; readonly hash: Uint8Array };
}

interface Message {
  readonly sequence: number;
  readonly blockHash: string | null;
  readonly hashes: Uint8Array;
  readonly isOfUsers: boolean;
}

/** A block, and its messages with another hash. */
interface Suspect {
  readonly block: ToldBlock;
  readonly messages: readonly Message[];
}

interface Anchor {
  readonly sequence: number;
  readonly blockNumber: number;
}

const HASH_BYTES = 32;
/** Maximum number of blocks by which the chain is ahead of its reader when a replacement is detected. */
const UNREAD_BLOCKS = 8;
/** Maximum number of kept messages with a block hash that is not on the chain. */
const SUSPECTS_MAX = 1_024;
/** Maximum number of messages without a block; the feed is some blocks ahead of the reader. */
const MESSAGES_MAX = 4_096;
/** Maximum number of findings for one message. */
const FINDINGS_MAX = 16;

export class FeedCheck {
  readonly #options: FeedCheckOptions;
  readonly #blocks = new Map<number, ToldBlock>();
  readonly #messages = new Map<number, Message>();
  /** Sequence numbers of the messages by block hash. */
  readonly #byHash = new Map<string, number[]>();
  /** Messages that may belong to replaced blocks. */
  readonly #old = new Set<number>();
  #anchor: Anchor | undefined;
  readonly #suspects: Suspect[] = [];
  /** Maximum number of blocks that may have been sent and replaced before they were read. */
  #unseenMax = UNREAD_BLOCKS;
  #wasReplaced = false;
  #hasUnconfirmed = false;
  #lastBlock = 0;
  /** The last block number that may have been replaced before it was read. */
  #doubtfulTo = 0;
  #nextJudged: number;

  constructor(options: FeedCheckOptions) {
    this.#options = options;
    this.#nextJudged = options.start.number + 1;
  }

  /** After {@link end}: whether the feed contained block hashes that could not be confirmed. */
  get hasUnconfirmed(): boolean {
    return this.#hasUnconfirmed;
  }

  message({ sequenceNumber: sequence, blockHash, hashes, isOfUsers }: FeedEvent): void {
    const text = blockHash === null ? null : toHex(blockHash);
    const ahead = Math.min((this.blockOf(sequence) ?? 0) - this.#lastBlock, REMEMBERED_BLOCKS);
    this.#unseenMax = Math.max(this.#unseenMax, ahead);
    this.#forget(sequence);
    if (text === toHex(this.#options.start.hash)) {
      this.#anchor = { sequence, blockNumber: this.#options.start.number };
      return;
    }
    this.#messages.set(sequence, { sequence, blockHash: text, hashes, isOfUsers });
    if (text !== null) this.#byHash.set(text, [...(this.#byHash.get(text) ?? []), sequence]);
    for (const oldest of this.#messages.keys()) {
      if (this.#messages.size <= MESSAGES_MAX) break;
      this.#forget(oldest);
    }
  }

  /** The block number for a sequence number, by the last known pair; null before the first. */
  blockOf(sequence: number): number | null {
    return this.#anchor === undefined ? null : this.#anchor.blockNumber + sequence - this.#anchor.sequence;
  }

  block({ blockNumber, hash, txHashes }: ToldBlock): void {
    this.#blocks.set(blockNumber, { blockNumber, hash, txHashes });
    this.#lastBlock = blockNumber;
    while (this.#nextJudged <= blockNumber - REMEMBERED_BLOCKS) this.#judge(this.#nextJudged++);
  }

  /** The block was replaced; its earlier messages belong to the old block. */
  replaced(blockNumber: number): void {
    const block = this.#blocks.get(blockNumber);
    this.#wasReplaced = true;
    if (block === undefined) return;
    this.#blocks.delete(blockNumber);
    this.#doubtfulTo = Math.max(this.#doubtfulTo, blockNumber + UNREAD_BLOCKS);
    for (const { sequence, blockHash } of this.#messages.values()) {
      if (blockHash === null || !this.#isStanding(blockHash)) this.#old.add(sequence);
    }
  }

  /** Compares the remaining blocks, and decides on the unknown hashes. */
  end(): void {
    while (this.#nextJudged <= this.#lastBlock) this.#judge(this.#nextJudged++);
    const isFalse = !this.#wasReplaced && this.#suspects.length > this.#unseenMax;
    for (const suspect of this.#suspects.splice(0)) {
      if (isFalse) this.#contradict(suspect);
      else this.#doubt(suspect);
    }
  }

  #judge(blockNumber: number): void {
    const block = this.#blocks.get(blockNumber);
    this.#blocks.delete(blockNumber);
    if (block === undefined) return;
    const messages = this.#messagesOf(block);
    const last = messages.at(-1);
    if (last === undefined) return;
    this.#anchor = { sequence: last.sequence, blockNumber };
    const isOld = messages.some(({ sequence }) => this.#old.has(sequence));
    for (const { sequence } of messages) this.#forget(sequence);
    const isDoubtful = isOld || blockNumber <= this.#doubtfulTo;
    const isOther = toHex(block.hash) !== last.blockHash;
    if (isDoubtful && isOther) return;
    const told = { block, messages };
    if (last.blockHash === null || !isOther) this.#contradict(told);
    else if (this.#suspects.length < SUSPECTS_MAX) this.#suspects.push(told);
  }

  /** Reports the differences between the messages and their block. */
  #contradict({ block, messages }: Suspect): void {
    const last = messages.at(-1);
    if (last !== undefined) this.#compareHash(block, last);
    if (messages.every(({ isOfUsers }) => isOfUsers)) this.#compareTransactions(block, messages);
  }

  #doubt({ block: { blockNumber, hash }, messages }: Suspect): void {
    const last = messages.at(-1);
    this.#hasUnconfirmed = true;
    this.#options.onFinding('feed_unconfirmed', {
      block_number: blockNumber,
      sequence_number: last?.sequence ?? null,
      expected: toHex(hash),
      observed: last?.blockHash ?? null,
    });
  }

  /** Sorted by sequence number. */
  #messagesOf(block: ToldBlock): readonly Message[] {
    const hash = toHex(block.hash);
    const numbers = this.#byHash.get(hash);
    if (numbers !== undefined) {
      const told = numbers.map((number) => this.#messages.get(number)).filter((one) => one !== undefined);
      return told.sort((one, other) => one.sequence - other.sequence);
    }
    const message = this.#messages.get(this.#numberOf(block) ?? -1);
    // A message with the hash of another block does not belong to this one.
    const isOther = message?.blockHash !== undefined && this.#isStanding(message.blockHash);
    return message === undefined || isOther ? [] : [message];
  }

  #isStanding(blockHash: string | null): boolean {
    if (blockHash === null) return false;
    return this.#blocks.values().some(({ hash }) => toHex(hash) === blockHash);
  }

  /** By the last message with a known block; without one, by a transaction. */
  #numberOf({ blockNumber, txHashes }: ToldBlock): number | undefined {
    if (this.#anchor !== undefined) return this.#anchor.sequence + blockNumber - this.#anchor.blockNumber;
    if (txHashes.length === 0) return undefined;
    const wanted = new Set(textsOf(txHashes));
    for (const { sequence, hashes } of this.#messages.values()) {
      if (textsOf(hashes).some((hash) => wanted.has(hash))) return sequence;
    }
    return undefined;
  }

  #compareHash({ blockNumber, hash }: ToldBlock, { blockHash, sequence }: Message): void {
    const expected = toHex(hash);
    if (blockHash === null || blockHash === expected) return;
    const place = { block_number: blockNumber, sequence_number: sequence };
    this.#options.onFinding('feed_block_hash', { ...place, expected, observed: blockHash });
  }

  #compareTransactions({ blockNumber, txHashes }: ToldBlock, messages: readonly Message[]): void {
    const [only] = messages;
    const told = messages.length === 1 && only !== undefined ? only.hashes : joined(messages);
    if (Buffer.compare(told, txHashes) === 0) return;
    const place = { block_number: blockNumber, sequence_number: messages.at(-1)?.sequence ?? null };
    const differences = differencesOf(textsOf(told), textsOf(txHashes), this.#options.isOwn);
    for (const { kind, hash, ...facts } of differences.slice(0, FINDINGS_MAX)) {
      this.#options.onFinding(kind, { ...place, hash: fromHex(hash), ...facts });
    }
  }

  #forget(sequence: number): void {
    const message = this.#messages.get(sequence);
    if (message === undefined) return;
    this.#messages.delete(sequence);
    this.#old.delete(sequence);
    const { blockHash } = message;
    const others =
      blockHash === null ? [] : (this.#byHash.get(blockHash) ?? []).filter((one) => one !== sequence);
    if (blockHash !== null && others.length > 0) this.#byHash.set(blockHash, others);
    else if (blockHash !== null) this.#byHash.delete(blockHash);
  }
}

interface Difference {
  readonly kind: FindingKind;
  readonly hash: string;
  readonly expected: string;
  readonly observed: string;
}

/** Compares the hashes in the feed with those in the block; both in their order. */
function differencesOf(
  told: readonly string[],
  held: readonly string[],
  isOwn: (hash: Uint8Array) => boolean,
): readonly Difference[] {
  const heldSet = new Set(held);
  const toldSet = new Set(told);
  const strange = told.filter((hash) => !heldSet.has(hash));
  const omitted = held.filter((hash) => !toldSet.has(hash) && isOwn(fromHex(hash)));
  const common = held.filter((hash) => toldSet.has(hash));
  const order = told.filter((hash) => heldSet.has(hash));
  const at = order.findIndex((hash, index) => hash !== common[index]);
  const wrong = order.slice(at, at < 0 ? 0 : at + 1);
  return [
    ...strange.map((hash) => {
      return {
        kind: 'feed_not_in_block',
        hash,
        expected: 'as in its block',
        observed: 'not in it, but',
      } as const;
    }),
    ...omitted.map((hash) => {
      return { kind: 'feed_omitted', hash, expected: 'as in its block', observed: 'left out' } as const;
    }),
    ...wrong.map((hash) => {
      return { kind: 'feed_order', hash, expected: common[at] ?? 'nothing more', observed: hash } as const;
    }),
  ];
}

function textsOf(hashes: Uint8Array): readonly string[] {
  return Array.from({ length: hashes.length / HASH_BYTES }, (_, at) =>
    toHex(hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)),
  );
}

function joined(messages: readonly Message[]): Uint8Array {
  return Buffer.concat(messages.map(({ hashes }) => hashes));
}
