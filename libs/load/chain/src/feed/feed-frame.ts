/**
 * Frames of Nitro's sequencer feed, version 1: JSON text, one WebSocket message each.
 *
 *   {"version":1,
 *    "messages":[{"sequenceNumber":n,
 *                 "message":{"message":{"header":{"kind":3,"sender":"0x…","blockNumber":n,"timestamp":n,
 *                                                 "requestId":null,"baseFeeL1":n},
 *                                       "l2Msg":"base64"},
 *                            "delayedMessagesRead":n},
 *                 "signatureV2":…,"blockHash":"0x…","blockMetadata":"base64"}],
 *    "confirmedSequenceNumberMessage":{"sequenceNumber":n}}
 *
 * Unknown members are ignored. `header.blockNumber` is a block number of the parent chain.
 */
import { fromHex, wireFault } from '../bytes/hex.ts';

/** The only header kind that carries user transactions. */
export const L2_MESSAGE_KIND = 3;

export interface FeedMessage {
  readonly sequenceNumber: number;
  readonly kind: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Block number of the parent chain when the message was sequenced. */
  readonly parentBlockNumber: number;
  readonly l2Msg: Uint8Array;
  /** Hash of the block produced from the message, as `0x…`; null if the feed omits it. */
  readonly blockHash: string | null;
  /** Whether it is from the parent chain's inbox: only such a message has a request id. */
  readonly isDelayed?: boolean;
  /** The number of messages of the inbox that it and the earlier messages have read. */
  readonly delayedMessagesRead?: number | undefined;
  /** The version, and a bit for each transaction of the block: whether it came by the express lane. */
  readonly blockMetadata?: Uint8Array | undefined;
  /** The signature and the other fields that it covers; absent in an unsigned message. */
  readonly seal?: FeedSeal | undefined;
}

/** The signature of a message and the further fields that `signatureV2` covers. */
export interface FeedSeal {
  /** The poster of the message, 20 bytes. */
  readonly sender: Uint8Array;
  readonly requestId: Uint8Array | null;
  readonly baseFeeL1: bigint | null;
  readonly delayedMessagesRead: number;
  readonly blockMetadata: Uint8Array;
  /** r ‖ s ‖ parity, 65 bytes; other lengths are invalid. */
  readonly signature: Uint8Array;
}

export interface FeedFrame {
  readonly messages: readonly FeedMessage[];
  /** The last confirmed sequence number; null if the frame has none. */
  readonly confirmedSequenceNumber: number | null;
}

const VERSION = 1;
const HEX = /^0x(?:[0-9a-fA-F]{2})*$/;
const HASH = /^0x[0-9a-fA-F]{64}$/;
/** The pseudo-address of the sequencer as poster. */
const SEQUENCER = '0xa4b000000000000000000073657175656e636572';
const NOTHING = new Uint8Array(0);

type Members = Readonly<Record<string, unknown>>;

/** Reads one frame. Throws WIRE_FORMAT with the place of the error for an invalid frame. */
export function decodeFeedFrame(text: string): FeedFrame {
  const frame = membersOf(parseJson(text), 'frame');
  if (frame['version'] !== VERSION)
    throw wireFault(`expected frame.version ${VERSION}, got ${kindOf(frame['version'])}`);
  const messages = frame['messages'] ?? [];
  if (!Array.isArray(messages)) throw wireFault(`expected a list in frame.messages, got ${kindOf(messages)}`);
  const confirmed = frame['confirmedSequenceNumberMessage'] ?? null;
  return {
    messages: messages.map((message: unknown, index) => decodeMessage(message, `messages[${index}]`)),
    confirmedSequenceNumber:
      confirmed === null
        ? null
        : countOf(membersOf(confirmed, 'confirmedSequenceNumberMessage'), 'sequenceNumber'),
  };
}

/** The constant signed fields of messages from encodeBroadcastMessage. */
export const OWN_SEAL: Omit<FeedSeal, 'signature'> = {
  sender: fromHex(SEQUENCER),
  requestId: null,
  baseFeeL1: 0n,
  delayedMessagesRead: 1,
  blockMetadata: NOTHING,
};

/** A frame of one message in the form of Nitro's sequencer. */
export function encodeFeedMessage(message: FeedMessage): string {
  return encodeFeedFrame([encodeBroadcastMessage(message)]);
}

/** A frame of messages encoded by {@link encodeBroadcastMessage}. */
export function encodeFeedFrame(messages: readonly string[]): string {
  return `{"version":${VERSION},"messages":[${messages.join(',')}]}`;
}

/** The JSON of one message in a frame. */
export function encodeBroadcastMessage(message: FeedMessage): string {
  const { sequenceNumber, kind, timestamp, parentBlockNumber: blockNumber, l2Msg, blockHash } = message;
  const header = { kind, sender: SEQUENCER, blockNumber, timestamp, requestId: null, baseFeeL1: 0 };
  const { seal, blockMetadata } = message;
  const inner = {
    header,
    l2Msg: base64(l2Msg),
  };
  return JSON.stringify({
    sequenceNumber,
    message: { message: inner, delayedMessagesRead: 1 },
    ...(blockHash === null ? {} : { blockHash }),
    ...(blockMetadata !== undefined && { blockMetadata: base64(blockMetadata) }),
    signatureV2: seal === undefined ? null : base64(seal.signature),
  });
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

function decodeMessage(value: unknown, place: string): FeedMessage {
  const message = membersOf(value, place);
  const outer = membersOf(message['message'], `${place}.message`);
  const incoming = membersOf(outer['message'], `${place}.message.message`);
  const header = membersOf(incoming['header'], `${place}.message.message.header`);
  const l2Msg = incoming['l2Msg'] ?? '';
  if (typeof l2Msg !== 'string') throw wireFault(`expected base64 in ${place}…l2Msg, got ${kindOf(l2Msg)}`);
  return {
    sequenceNumber: countOf(message, 'sequenceNumber'),
    kind: countOf(header, 'kind'),
    timestamp: countOf(header, 'timestamp'),
    parentBlockNumber: countOf(header, 'blockNumber'),
    l2Msg: Buffer.from(l2Msg, 'base64'),
    blockHash: hashOf(message, `${place}.blockHash`),
    isDelayed: (header['requestId'] ?? null) !== null,
    delayedMessagesRead: wholeOf(outer['delayedMessagesRead']),
    ...(typeof message['blockMetadata'] === 'string' && { blockMetadata: bytesOf(message['blockMetadata']) }),
    seal: decodeSeal(message, header),
  };
}

/** Null if there is none. A malformed hash is no absent one. */
function hashOf({ blockHash = null }: Members, place: string): string | null {
  if (blockHash === null || (typeof blockHash === 'string' && HASH.test(blockHash))) return blockHash;
  throw wireFault(`expected a hash of 32 bytes in ${place}, got ${kindOf(blockHash)}`);
}

/** Malformed fields get default values: the signature then does not verify. */
function decodeSeal(message: Members, header: Members): FeedSeal | undefined {
  const signature = message['signatureV2'];
  if (typeof signature !== 'string') return undefined;
  const { requestId, baseFeeL1, sender } = header;
  const { delayedMessagesRead } = membersOf(message['message'], 'message');
  return {
    sender: typeof sender === 'string' && HEX.test(sender) ? fromHex(sender) : NOTHING,
    requestId: typeof requestId === 'string' && HEX.test(requestId) ? fromHex(requestId) : null,
    baseFeeL1: Number.isSafeInteger(baseFeeL1) ? BigInt(baseFeeL1 as number) : null,
    delayedMessagesRead: wholeOf(delayedMessagesRead) ?? 0,
    blockMetadata: bytesOf(message['blockMetadata']),
    signature: bytesOf(signature),
  };
}

function bytesOf(base64: unknown): Uint8Array {
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64') : NOTHING;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw wireFault('expected a frame of JSON, got other text');
    throw error;
  }
}

function membersOf(value: unknown, place: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw wireFault(`expected an object in ${place}, got ${kindOf(value)}`);
}

/** Undefined for anything but a whole number. */
function wholeOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

function countOf(members: Members, name: string): number {
  const value = members[name];
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw wireFault(`expected a whole number in ${name}, got ${kindOf(value)}`);
}

function kindOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
}
