/** A JSON object from a node or a feed. */
export type Json = Readonly<Record<string, unknown>>;

export interface NodeCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A feed message as a frame contains it. */
export interface FeedJson extends Json {
  readonly sequenceNumber: number;
  readonly message: { readonly message: { readonly header: Json; readonly l2Msg: string } };
  readonly blockHash?: string;
  readonly blockMetadata?: string;
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

/** The real node and its feed, as a lie uses them. */
export interface HonestNode {
  ask(method: string, params: readonly unknown[]): Promise<unknown>;
  sentBy(hash: string): SentTransaction | undefined;
  /** The hash of a raw transaction in hexadecimal digits. */
  hashOf(raw: string): string;
  /** Whether the transaction belongs to the load, not to its preparation. */
  isLoad(hash: string): boolean;
  /** Whether the load has begun. */
  readonly hasLoad: boolean;
  /** Sends a message to all feed clients. */
  send(message: FeedJson): void;
  /** Sends a frame of any text to all feed clients. */
  sendText(text: string): void;
}

export type Answer = { readonly result: unknown } | { readonly error: Json };

/** An HTTP response to a whole request. */
export interface HttpReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Replaces answers and feed messages with false ones. Without a method, the real ones pass unchanged. */
export interface Lie {
  /** Replies to a request, a call or a batch, in place of the node; undefined passes it on. */
  reply?(calls: readonly NodeCall[]): HttpReply | undefined | Promise<HttpReply | undefined>;
  /** Answers a call in place of the node; undefined forwards the call to the node. */
  instead?(call: NodeCall): Answer | undefined | Promise<Answer | undefined>;
  /** Replaces the node's result. */
  answer?(call: NodeCall, result: unknown): unknown;
  /** Replaces a feed message by any number of messages. */
  feed?(message: FeedJson): readonly FeedJson[];
}

/** Creates a lie on top of a real node. */
export type MakeLie = (node: HonestNode) => Lie;

export const quantity = (amount: bigint | number): string => `0x${amount.toString(16)}`;
