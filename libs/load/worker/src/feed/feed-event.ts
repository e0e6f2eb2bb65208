/** A received feed message. */
export interface FeedEvent {
  readonly receivedUs: number;
  readonly sequenceNumber: number;
  /** The block's timestamp, seconds since 1970. */
  readonly timestamp: number;
  /**
   * Bits of `FEED_FLAGS`. Backlog is an unchanged message that is repeated at the start of a connection.
   */
  readonly flags: number;
  /** The number of missing sequence numbers directly before it. */
  readonly missing: number;
  /** The size of its transactions, before base64. */
  readonly bytes: number;
  /** The hashes of its transactions, 32 bytes each. */
  readonly hashes: Uint8Array;
  /** The hash of its block; null if the message has none. */
  readonly blockHash: Uint8Array | null;
  /** The metadata of its block, which tells what came by the express lane; null if the message has none. */
  readonly blockMetadata: Uint8Array | null;
  /** Whether it is from the parent chain's inbox, not from the sequencer. */
  readonly isDelayed: boolean;
  /** The number of messages that the parent chain's inbox has delivered up to it; null if it does not say. */
  readonly delayedRead: number | null;
  /** The signer, as `0x…` or `nobody`, if it is not the required one. */
  readonly wrongSigner: string | null;
}

/** The reason why a feed is not the expected one. The client does not reconnect. */
export type FeedRefusal = 'feed_version' | 'chain_id_mismatch';

export interface FeedListener {
  onMessages(events: readonly FeedEvent[]): void;
  onConnected(): void;
  /** The client reconnects. */
  onDisconnected(reason: string): void;
  onRefused(refusal: FeedRefusal, message: string): void;
  /** The feed has confirmed a message that it has not sent. */
  onConfirmedAhead(confirmed: number, last: number): void;
  /** An invalid or too large frame. */
  onGarbage(message: string): void;
}
