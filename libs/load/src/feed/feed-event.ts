/** One message of the feed as it was received. */
export interface FeedEvent {
  readonly receivedUs: number;
  readonly sequenceNumber: number;
  /** Of the block that it makes, seconds since 1970. */
  readonly timestamp: number;
  /** Bits of `FEED_FLAGS`; whether it is backlog is for those to say who know when the run began. */
  readonly flags: number;
  /** Numbers left out right before it. */
  readonly missing: number;
  /** Of its transactions, before base64. */
  readonly bytes: number;
  /** Hashes of its transactions, 32 bytes each. */
  readonly hashes: Uint8Array;
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
