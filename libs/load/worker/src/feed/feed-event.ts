/** One message of the feed as it was received. */
export interface FeedEvent {
  readonly receivedUs: number;
  readonly sequenceNumber: number;
  /** Of the block that it makes, seconds since 1970. */
  readonly timestamp: number;
  /**
   * Bits of `FEED_FLAGS`. Backlog is what came before, as it was, and comes again at the start of a
   * connection.
   */
  readonly flags: number;
  /** Numbers left out right before it. */
  readonly missing: number;
  /** Of its transactions, before base64. */
  readonly bytes: number;
  /** Hashes of its transactions, 32 bytes each. */
  readonly hashes: Uint8Array;
  /** Of the block that it makes, where it tells it. */
  readonly blockHash: Uint8Array | null;
  /** Whether it carries what users send; others make blocks too, of what the parent chain holds. */
  readonly isOfUsers: boolean;
  /** Who signed, as `0x…` or `nobody`, where that is not who should have. */
  readonly wrongSigner: string | null;
}

/** Why a feed is not the one that is meant. Nothing is tried again. */
export type FeedRefusal = 'feed_version' | 'chain_id_mismatch';

export interface FeedListener {
  onMessages(events: readonly FeedEvent[]): void;
  onConnected(): void;
  /** It is tried again. */
  onDisconnected(reason: string): void;
  onRefused(refusal: FeedRefusal, message: string): void;
  /** A frame that is none, or larger than any may be. */
  onGarbage(message: string): void;
}
