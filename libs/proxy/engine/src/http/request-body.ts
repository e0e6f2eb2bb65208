/**
 * A request's body on its way to the upstream.
 *
 * 1. It is held back until it has ended, or until the end of the turn of the event loop in which it began: a
 *    small one is forwarded in one write, and one that is malformed in its first packet not at all. A head is
 *    not held back longer, because the upstream may respond before the body arrives.
 * 2. Up to 64 KiB are kept, so that a request can be retried. A longer body can be sent once.
 * 3. Back-pressure works in both directions: the client is read as fast as the upstream accepts data.
 * 4. Once the body is no longer needed, the rest is read and discarded, so that the client can read its
 *    response.
 */
import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';

export const REPLAYABLE_BYTES_MAX = 65_536;
const LAST_CHUNK = '0\r\n\r\n';

export interface RequestBodyOwner {
  /** The body, or its beginning, can be forwarded. */
  bodyReady(): void;
  /** A part has arrived or was released: the preceding pause was not the client's fault. */
  bodyMoved(): void;
  /** The body is complete. */
  bodyEnded(): void;
}

export class RequestBody {
  readonly #request: IncomingMessage;
  readonly #owner: RequestBodyOwner;
  readonly #contentLength: number | undefined;
  #remembered: Buffer[] | undefined = [];
  #rememberedBytes = 0;
  #sink: Writable | undefined;
  #isChunked = false;
  #isReady = false;
  #isUnwanted = false;
  #hasEnded = false;
  #isSent = false;
  /** Bytes received. */
  bytes = 0;
  /** Whether the client was paused for the upstream; reset by the reader of the flag. */
  wasPaused = false;

  /** A body without `contentLength` is chunked. */
  constructor(request: IncomingMessage, contentLength: number | undefined, owner: RequestBodyOwner) {
    this.#request = request;
    this.#owner = owner;
    this.#contentLength = contentLength;
    request.on('data', (chunk: Buffer) => this.#take(chunk));
    request.once('end', () => this.#end());
    setImmediate(() => this.#setReady());
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether the whole body has been sent to the upstream. */
  get isSent(): boolean {
    return this.#isSent;
  }

  /** Whether the body can be forwarded, and forwarded again later. */
  get isReplayable(): boolean {
    return this.#remembered !== undefined && this.#rememberedBytes <= REPLAYABLE_BYTES_MAX;
  }

  /** Whether all received bytes are still kept, for a first or another {@link forward}. */
  get isWhole(): boolean {
    return this.#remembered !== undefined;
  }

  /** Whether the pause is the client's. */
  get isAwaited(): boolean {
    return !this.#hasEnded && !this.#request.isPaused();
  }

  /** The framing header, with its line end; empty when the head already has it. */
  frame(): string {
    this.#isChunked = this.#contentLength === undefined && !this.#hasEnded;
    if (this.#isChunked) return 'Transfer-Encoding: chunked\r\n';
    return this.#contentLength === undefined ? `Content-Length: ${this.#rememberedBytes}\r\n` : '';
  }

  /** Forwards from the beginning, after the head. Only one upstream receives it at a time. */
  forward(sink: Writable): void {
    this.detach();
    const remembered = this.#remembered ?? [];
    if (!this.isReplayable) this.#remembered = undefined;
    this.#sink = sink;
    let hasRoom = true;
    for (const chunk of remembered) hasRoom = this.#send(sink, chunk);
    if (this.#hasEnded) {
      this.#sendEnd(sink);
      return;
    }
    sink.on('drain', this.#onRoom);
    if (hasRoom) this.#onRoom();
  }

  /** Keeps received data for another {@link forward}. */
  detach(): void {
    this.#sink?.off('drain', this.#onRoom);
    this.#sink = undefined;
    this.#isSent = false;
  }

  /** Discards received data. */
  discard(): void {
    this.#isUnwanted = true;
    this.#remembered = undefined;
    this.detach();
    this.#request.resume();
  }

  readonly #onRoom = (): void => {
    this.#request.resume();
  };

  #take(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#owner.bodyMoved();
    if (this.#isUnwanted) return;
    this.#remember(chunk);
    // Without a sink, no more is read than is kept anyway.
    const sink = this.#sink;
    const hasRoom =
      sink === undefined ? this.#rememberedBytes <= REPLAYABLE_BYTES_MAX : this.#send(sink, chunk);
    if (hasRoom) return;
    this.wasPaused = true;
    this.#request.pause();
  }

  #remember(chunk: Buffer): void {
    if (this.#remembered === undefined) return;
    this.#rememberedBytes += chunk.length;
    if (this.#rememberedBytes <= REPLAYABLE_BYTES_MAX || this.#sink === undefined) {
      this.#remembered.push(chunk);
    } else {
      this.#remembered = undefined;
    }
  }

  #end(): void {
    this.#hasEnded = true;
    if (this.#sink !== undefined) this.#sendEnd(this.#sink);
    this.#owner.bodyEnded();
    this.#setReady();
  }

  /** Returns false when the caller has to wait for the upstream. */
  #send(sink: Writable, chunk: Buffer): boolean {
    if (!this.#isChunked) return sink.write(chunk);
    sink.cork();
    sink.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
    sink.write(chunk);
    const hasRoom = sink.write('\r\n', 'latin1');
    sink.uncork();
    return hasRoom;
  }

  #sendEnd(sink: Writable): void {
    if (this.#isChunked) sink.write(LAST_CHUNK, 'latin1');
    this.#isSent = true;
    sink.off('drain', this.#onRoom);
  }

  #setReady(): void {
    if (this.#isReady || this.#isUnwanted) return;
    this.#isReady = true;
    this.#owner.bodyReady();
  }
}
