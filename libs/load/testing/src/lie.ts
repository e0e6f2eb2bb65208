/** A JSON object as a node or a feed gives it. */
export type Json = Readonly<Record<string, unknown>>;

export interface NodeCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A message of the feed, as it stands in a frame. */
export interface FeedJson extends Json {
  readonly sequenceNumber: number;
  readonly message: { readonly message: { readonly header: Json; readonly l2Msg: string } };
  readonly blockHash?: string;
}

/** A transaction that was sent through the proxy. */
export interface SentTransaction {
  readonly raw: Uint8Array;
  readonly hash: string;
  /** `0x…`, in lower case. */
  readonly sender: string;
  readonly receiver: string | null;
  readonly nonce: number;
  readonly value: bigint;
  readonly gasLimit: bigint;
}

/** What a lie may use: the truth, and the way to the feed. */
export interface HonestNode {
  ask(method: string, params: readonly unknown[]): Promise<unknown>;
  sentBy(hash: string): SentTransaction | undefined;
  /** Of a transaction in hexadecimal digits. */
  hashOf(raw: string): string;
  /** Of the load, not of its preparation. */
  isLoad(hash: string): boolean;
  /** Sends a message to all who read the feed. */
  tell(message: FeedJson): void;
}

export type Answer = { readonly result: unknown } | { readonly error: Json };

/** What is told in place of the truth. Whatever is left out is told as it is. */
export interface Lie {
  /** In place of asking the node; undefined: it is asked. */
  instead?(call: NodeCall): Answer | undefined | Promise<Answer | undefined>;
  /** In place of what the node answered. */
  answer?(call: NodeCall, result: unknown): unknown;
  /** In place of a message. */
  feed?(message: FeedJson): readonly FeedJson[];
}

/** A lie, told with the means of a proxy. */
export type MakeLie = (node: HonestNode) => Lie;

export const quantity = (amount: bigint | number): string => `0x${amount.toString(16)}`;
