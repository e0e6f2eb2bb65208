/**
 * Feeds a client's input to the parser, one request at a time. Hot path: most chunks are one complete head,
 * and are passed on unchanged.
 *
 * 1. The parser reads all of its input, also ten requests at once. So it gets a request up to its end, and
 *    the input behind it is held until the response has been sent (RFC 9112, 9.3.2).
 * 2. The parser reports the end of a request. No request ends within a chunk that has no blank line before
 *    its end, or that is no longer than the outstanding body: so chunks are split there.
 * 3. While much is held, the client is not read.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { BlankLine } from './blank-line.ts';
import { RequestLine } from './request-line.ts';

/** Beyond this, input is left to the system's buffers. */
const HELD_BYTES_MAX = 16_384;

export interface RequestReaderOwner {
  /** Whether no request is in progress, so that another one may be read. */
  readonly isFree: boolean;
  /** Input had to be held: call {@link RequestReader.readOn} when no request is in progress. */
  heldBack(): void;
  /** The first line of a request is invalid. */
  refuseLine(): void;
}

export class RequestReader {
  readonly line = new RequestLine();
  readonly #socket: Socket;
  readonly #owner: RequestReaderOwner;
  readonly #blankLine = new BlankLine();
  readonly #parse: (chunk: Buffer) => void;
  readonly #onEnd: () => void;
  #held: Buffer | undefined;
  /** The request whose body is being read. */
  #request: IncomingMessage | undefined;
  /** Outstanding bytes of its body, when it has a length. */
  #bytesLeft = 0;
  #isChunked = false;
  #hasBegun = false;
  #isStopped = false;
  #isFeeding = false;
  #isPausing = false;

  /** `socket` belongs to Node's server, whose listeners are called by this class from now on. */
  constructor(socket: Socket, owner: RequestReaderOwner) {
    this.#socket = socket;
    this.#owner = owner;
    this.#parse = takeListener(socket, 'data');
    this.#onEnd = takeListener(socket, 'end');
    socket.on('data', this.#take);
    socket.on('end', () => this.#end());
    socket.on('resume', () => this.readOn());
  }

  /** Whether a part of a head has arrived. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get isHolding(): boolean {
    return this.#held !== undefined;
  }

  /** The parser has read the head of a request. */
  began(request: IncomingMessage, { isChunked, contentLength = 0 }: BodyLength): void {
    this.#request = request;
    this.#isChunked = isChunked;
    this.#bytesLeft = isChunked ? 0 : contentLength;
  }

  /** Feeds held input, if allowed now. */
  readOn(): void {
    const held = this.#held;
    if (held === undefined || this.#isFeeding || this.#isStopped) return;
    if (this.#isBetween && !this.#owner.isFree) return;
    this.#held = undefined;
    if (this.#isPausing) this.#socket.resume();
    this.#isPausing = false;
    this.#feed(held);
  }

  /** Discards all further input, so that the client can read its response. */
  stop(): void {
    this.#isStopped = true;
    this.#held = undefined;
    this.#socket.resume();
  }

  /** Stops reading. Returns the held input. */
  leave(): Buffer | undefined {
    const held = this.#held;
    this.#isStopped = true;
    this.#held = undefined;
    this.#socket.off('data', this.#take);
    return held;
  }

  /** Whether nothing of the next request was passed on. */
  get #isBetween(): boolean {
    return !this.#hasBegun && this.#request === undefined;
  }

  readonly #take = (chunk: Buffer): void => {
    if (this.#isStopped) return;
    if (this.#held === undefined) this.#feed(chunk);
    else this.#hold(Buffer.concat([this.#held, chunk]));
  };

  #feed(chunk: Buffer): void {
    this.#isFeeding = true;
    this.#feedParts(chunk);
    this.#isFeeding = false;
  }

  #feedParts(chunk: Buffer): void {
    let from = 0;
    while (from < chunk.length) {
      const isBetween = this.#isBetween;
      if (this.#socket.isPaused() || (isBetween && !this.#owner.isFree)) {
        this.#hold(from === 0 ? chunk : chunk.subarray(from));
        if (isBetween) this.#owner.heldBack();
        return;
      }
      if (isBetween) this.#begin();
      const to = this.#endOfPart(chunk, from);
      const isRest = to < chunk.length;
      if (isRest) this.#held = chunk.subarray(to);
      this.#pass(from === 0 && !isRest ? chunk : chunk.subarray(from, to));
      if (this.#isStopped) return;
      this.#held = undefined;
      from = to;
    }
  }

  #begin(): void {
    this.#hasBegun = true;
    this.#blankLine.reset();
    this.line.reset();
  }

  #endOfPart(chunk: Buffer, from: number): number {
    if (this.#request !== undefined && !this.#isChunked) {
      return Math.min(chunk.length, from + this.#bytesLeft);
    }
    const end = this.#blankLine.endIn(chunk, from);
    return end === -1 ? chunk.length : end;
  }

  #pass(part: Buffer): void {
    const isOfHead = this.#request === undefined;
    if (isOfHead && !this.line.take(part)) {
      this.#owner.refuseLine();
      return;
    }
    this.#parse(part);
    const request = this.#request;
    if (request === undefined) return;
    this.#hasBegun = false;
    if (!isOfHead && !this.#isChunked) this.#bytesLeft -= part.length;
    if (request.complete) this.#request = undefined;
  }

  #hold(rest: Buffer): void {
    this.#held = rest;
    if (rest.length < HELD_BYTES_MAX || this.#socket.isPaused()) return;
    this.#isPausing = true;
    this.#socket.pause();
  }

  /** A client that has ended its side is treated as gone: it may not read the responses. */
  #end(): void {
    const isStopped = this.#isStopped;
    this.stop();
    if (!isStopped) this.#onEnd();
  }
}

interface BodyLength {
  readonly isChunked: boolean;
  readonly contentLength?: number | undefined;
}

/** Removes Node's own listener from the socket, for the caller to call. */
function takeListener(socket: Socket, event: 'data' | 'end'): (chunk?: Buffer) => void {
  const listener = socket.listeners(event).at(-1) as (chunk?: Buffer) => void;
  socket.removeListener(event, listener);
  return listener;
}
