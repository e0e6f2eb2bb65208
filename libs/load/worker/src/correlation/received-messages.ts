import { toHex } from '#load/chain';
import type { FeedEvent } from '../feed/feed-event.ts';

/** A received message, as far as it is compared with blocks. */
export interface ReceivedMessage {
  readonly sequence: number;
  readonly blockHash: string | null;
  readonly hashes: Uint8Array;
  /** Whether it is from the parent chain: its transactions may be invalid, and are then in no block. */
  readonly isDelayed: boolean;
  readonly timestamp: number;
  /** Received below a higher sequence number. */
  readonly isLate: boolean;
  /** Received after the end of the drain, when its block may be unread. */
  readonly isAfterEnd: boolean;
}

/** Maximum number of messages without a block; the feed is some blocks ahead of the reader. */
const MESSAGES_MAX = 4_096;

/** The received messages that were not compared with their blocks yet. */
export class ReceivedMessages {
  readonly #messages = new Map<number, ReceivedMessage>();
  /** Sequence numbers of the messages by block hash. */
  readonly #byHash = new Map<string, number[]>();
  /** Messages that may belong to replaced blocks. */
  readonly #old = new Set<number>();
  #hasDropped = false;

  /** Whether the oldest messages were given up, since there were too many. */
  get hasDropped(): boolean {
    return this.#hasDropped;
  }

  add(message: ReceivedMessage): void {
    const { sequence, blockHash } = message;
    this.forget(sequence);
    this.#messages.set(sequence, message);
    if (blockHash !== null) this.#byHash.set(blockHash, [...(this.#byHash.get(blockHash) ?? []), sequence]);
    for (const oldest of this.#messages.keys()) {
      if (this.#messages.size <= MESSAGES_MAX) break;
      this.forget(oldest);
      this.#hasDropped = true;
    }
  }

  at(sequence: number): ReceivedMessage | undefined {
    return this.#messages.get(sequence);
  }

  /** Sorted by sequence number. */
  withHash(blockHash: string): readonly ReceivedMessage[] {
    const numbers = this.#byHash.get(blockHash) ?? [];
    const found = numbers.map((number) => this.#messages.get(number)).filter((one) => one !== undefined);
    return found.sort((one, other) => one.sequence - other.sequence);
  }

  /** The messages in the order of arrival. */
  values(): Iterable<ReceivedMessage> {
    return this.#messages.values();
  }

  /** Marks these messages as those of replaced blocks. */
  markOld(isOld: (message: ReceivedMessage) => boolean): void {
    for (const message of this.#messages.values()) if (isOld(message)) this.#old.add(message.sequence);
  }

  isOld(sequence: number): boolean {
    return this.#old.has(sequence);
  }

  forget(sequence: number): void {
    const message = this.#messages.get(sequence);
    if (message === undefined) return;
    this.#messages.delete(sequence);
    this.#old.delete(sequence);
    const { blockHash } = message;
    if (blockHash === null) return;
    const others = (this.#byHash.get(blockHash) ?? []).filter((one) => one !== sequence);
    if (others.length > 0) this.#byHash.set(blockHash, others);
    else this.#byHash.delete(blockHash);
  }
}

/** `isAfterEnd`: the drain is over. */
export function receivedMessage(
  { sequenceNumber: sequence, blockHash, hashes, isDelayed, timestamp, flags }: FeedEvent,
  { lateFlag, isAfterEnd }: { readonly lateFlag: number; readonly isAfterEnd: boolean },
): ReceivedMessage {
  const text = blockHash === null ? null : toHex(blockHash);
  const isLate = (flags & lateFlag) !== 0;
  return { sequence, blockHash: text, hashes, isDelayed, timestamp, isLate, isAfterEnd };
}
