import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import {
  decodeFeedFrame,
  type FeedMessage,
  feedSignerOf,
  fromHex,
  hashesOf,
  L2_MESSAGE_KIND,
  toHex,
} from '#load/chain';
import { FEED_FLAGS } from '#load/telemetry';
import { DomainError, type MicroClock } from '#platform/foundation';
import { cleanMessage } from '../rpc/rpc-reply.ts';
import type { FeedEvent, FeedListener, FeedRefusal } from './feed-event.ts';
import { SequenceTracker } from './sequence-tracker.ts';

/** The payload of a WebSocket message. */
type FrameData = Buffer | ArrayBuffer | Buffer[];

/** Minimum length of a frame that is checked before parsing. */
const LARGE_BYTES = 2 ** 20;
/** Minimum bytes per bracket; feed messages have far fewer: eight in hundreds of bytes. */
const BYTES_A_BRACKET = 16;
const SQUARE = 0x5b;
const CURLY = 0x7b;

/**
 * The text of a frame. Throws WIRE_FORMAT for a large frame of mostly brackets: 60 MB of `[],[],…` would be
 * parsed into 2 GB of arrays.
 */
export function textOfFrame(data: FrameData): string {
  const bytes = bytesOf(data);
  if (bytes.length >= LARGE_BYTES && bracketsIn(bytes) * BYTES_A_BRACKET > bytes.length) {
    throw new DomainError('WIRE_FORMAT', `expected feed messages, got ${bytes.length} bytes of brackets`);
  }
  return bytes.toString('utf8');
}

function bracketsIn(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte === SQUARE || byte === CURLY) count++;
  return count;
}

function bytesOf(data: FrameData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

interface FeedClientOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly chainId: number;
  readonly listener: FeedListener;
  readonly clock: MicroClock;
  /** The first requested sequence number; undefined: the whole backlog. */
  readonly fromSequence?: number | undefined;
  /** The required signer of every message, in lower case; undefined: signatures are not checked. */
  readonly signer?: string | undefined;
  readonly timing?: Partial<FeedTiming>;
}

export interface FeedTiming {
  /** Maximum silence before the connection is closed; sequencers ping every few seconds. */
  readonly silenceMs: number;
  readonly handshakeMs: number;
  /** The pause before the second attempt; doubled for each further attempt. */
  readonly retryMs: number;
  readonly retryMsMax: number;
}

const VERSION = '2';
const FRAME_BYTES_MAX = 64 * 2 ** 20;
/** Maximum number of invalid frames on a connection before it is closed, to bound the reports. */
const GARBAGE_MAX = 16;
const HASH_BYTES = 32;
const TIMING: FeedTiming = { silenceMs: 20_000, handshakeMs: 10_000, retryMs: 250, retryMsMax: 10_000 };

/**
 * Reads a Nitro sequencer feed until it is closed: reconnects after every failure, from the last received
 * sequence number. (The next number may not exist yet; a request for it returns the whole backlog.) The
 * listener receives every message, including repeated ones. At the start of a connection, known messages and
 * those before the first are backlog: they were requested, and are no duplicates. The pause between attempts
 * grows until a message or a ping arrives.
 */
export class FeedClient {
  readonly #options: FeedClientOptions;
  readonly #timing: FeedTiming;
  readonly #tracker = new SequenceTracker();
  #socket: WebSocket | undefined;
  #silence: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  /** The number of invalid frames on this connection. */
  #garbage = 0;
  #isCatchingUp = false;
  #isClosed = false;

  constructor(options: FeedClientOptions) {
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
  }

  open(): void {
    const { url, listener } = this.#options;
    const socket = new WebSocket(url, {
      headers: this.#headers(),
      perMessageDeflate: false,
      maxPayload: FRAME_BYTES_MAX,
      handshakeTimeout: this.#timing.handshakeMs,
    });
    let reason = 'the connection was closed';
    this.#socket = socket;
    this.#garbage = 0;
    socket.on('upgrade', (response) => {
      this.#checkServer(response);
    });
    socket.on('open', () => {
      if (this.#isClosed) return;
      this.#awaitMore();
      this.#isCatchingUp = true;
      listener.onConnected();
    });
    // Text, or the same text as a binary message, which relays send.
    socket.on('message', (data) => {
      this.#receive(data);
    });
    socket.on('ping', () => {
      this.#failures = 0;
      this.#awaitMore();
    });
    socket.on('error', (error) => {
      reason = cleanMessage(error.message);
      if ('code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') listener.onGarbage(reason);
    });
    socket.on('close', () => {
      this.#lost(reason);
    });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#silence);
    clearTimeout(this.#retry);
    this.#socket?.terminate();
  }

  #headers(): Record<string, string> {
    const from = this.#tracker.last ?? this.#options.fromSequence;
    return {
      ...this.#options.headers,
      'Arbitrum-Feed-Client-Version': VERSION,
      ...(from !== undefined && { 'Arbitrum-Requested-Sequence-Number': String(from) }),
    };
  }

  #checkServer({ headers }: IncomingMessage): void {
    const version = headers['arbitrum-feed-server-version'];
    const chainId = headers['arbitrum-chain-id'];
    const { chainId: wanted } = this.#options;
    // As in Nitro's own client: headers that a relay omits are no contradiction.
    if (version !== undefined && version !== VERSION)
      this.#refuse('feed_version', `expected feed version ${VERSION}, got ${shown(version)}`);
    else if (chainId !== undefined && chainId !== String(wanted)) {
      this.#refuse('chain_id_mismatch', `expected chain id ${wanted} of the feed, got ${shown(chainId)}`);
    }
  }

  #refuse(refusal: FeedRefusal, message: string): void {
    this.close();
    this.#options.listener.onRefused(refusal, message);
  }

  #receive(data: FrameData): void {
    const receivedUs = this.#options.clock.nowUs();
    if (this.#isClosed || this.#garbage >= GARBAGE_MAX) return;
    this.#awaitMore();
    try {
      const { messages, confirmedSequenceNumber } = decodeFeedFrame(textOfFrame(data));
      this.#failures = 0;
      const events = messages.map((message) => this.#eventOf(message, receivedUs));
      if (events.length > 0) this.#options.listener.onMessages(events);
      this.#checkConfirmed(confirmedSequenceNumber);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#options.listener.onGarbage(cleanMessage(error.message));
      if (++this.#garbage >= GARBAGE_MAX) this.#socket?.terminate();
    }
  }

  #checkConfirmed(confirmed: number | null): void {
    const { last } = this.#tracker;
    if (confirmed === null || last === undefined || confirmed <= last) return;
    this.#options.listener.onConfirmedAhead(confirmed, last);
  }

  #eventOf(message: FeedMessage, receivedUs: number): FeedEvent {
    const { sequenceNumber, timestamp, l2Msg, kind } = message;
    const { flags: found, missing } = this.#tracker.observe(sequenceNumber, fingerprintOf(message));
    const isBefore = sequenceNumber < (this.#tracker.first ?? 0);
    this.#isCatchingUp &&= found === FEED_FLAGS.duplicate || isBefore;
    const flags = this.#isCatchingUp ? FEED_FLAGS.backlog : found;
    const { isDelayed = false, delayedMessagesRead: delayedRead = null } = message;
    const hashes = kind === L2_MESSAGE_KIND ? hashesOf(l2Msg) : [];
    const bytes = new Uint8Array(hashes.length * HASH_BYTES);
    for (const [index, one] of hashes.entries()) bytes.set(one, index * HASH_BYTES);
    return {
      receivedUs,
      sequenceNumber,
      timestamp,
      flags,
      missing,
      bytes: l2Msg.length,
      hashes: bytes,
      isDelayed,
      delayedRead,
      blockHash: blockHashOf(message),
      blockMetadata: message.blockMetadata ?? null,
      wrongSigner: this.#wrongSignerOf(message),
    };
  }

  #wrongSignerOf(message: FeedMessage): string | null {
    const { signer, chainId } = this.#options;
    if (signer === undefined) return null;
    const found = feedSignerOf(message, chainId);
    const name = found === undefined ? 'nobody' : toHex(found);
    return name === signer ? null : name;
  }

  #awaitMore(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      this.#socket?.terminate();
    }, this.#timing.silenceMs);
  }

  #lost(reason: string): void {
    clearTimeout(this.#silence);
    if (this.#isClosed) return;
    this.#options.listener.onDisconnected(reason);
    const { retryMs, retryMsMax } = this.#timing;
    const most = Math.min(retryMs * 2 ** this.#failures++, retryMsMax);
    this.#retry = setTimeout(
      () => {
        this.open();
      },
      most * (0.5 + Math.random() / 2),
    );
  }
}

/** 48 bits of a hash of a block's content and time: equal transactions at another time are another block. */
function fingerprintOf({ kind, timestamp, parentBlockNumber, blockHash, l2Msg }: FeedMessage): number {
  const header = `${kind} ${timestamp} ${parentBlockNumber} ${blockHash ?? ''}\n`;
  return hash('sha1', Buffer.concat([Buffer.from(header), l2Msg]), 'buffer').readUIntBE(0, 6);
}

function blockHashOf({ blockHash }: FeedMessage): Uint8Array | null {
  return blockHash === null ? null : fromHex(blockHash);
}

function shown(header: string | string[]): string {
  return JSON.stringify(String(header).slice(0, 32));
}
