/**
 * What a client sends, on its way to the parser: one request at a time. Hot path: most parts that come are
 * one whole head, and are passed on as they are.
 *
 * 1. The parser reads whatever it is given, also ten requests at once. So it is given a request up to its
 *    end, and what comes behind is held until its answer has been sent (RFC 9112, 9.3.2).
 * 2. Where a request ends, the parser says. No request ends within a part that has no blank line before its
 *    end, or that is no longer than the body that is still to come: so parts are cut there.
 * 3. While much is held, the client is not read.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { BlankLine } from './blank-line.ts';
import { RequestLine } from './request-line.ts';

/** More than this is not held, but left to the system. */
const HELD_BYTES_MAX = 16_384;

export interface RequestReaderOwner {
  /** Whether nothing is under way, and another request may be read. */
  readonly isFree: boolean;
  /** More has come than may be read: {@link RequestReader.readOn} is called when nothing is under way. */
  heldBack(): void;
  /** The first line of a request is none. */
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
  /** The one whose body is being read. */
  #request: IncomingMessage | undefined;
  /** Of its body, when it has a length. */
  #bytesLeft = 0;
  #isChunked = false;
  #hasBegun = false;
  #isStopped = false;
  #isFeeding = false;
  #isPausing = false;

  /** `socket` has been given to Node's server, whose listeners are called by this from now on. */
  constructor(socket: Socket, owner: RequestReaderOwner) {
    this.#socket = socket;
    this.#owner = owner;
    this.#parse = takeListener(socket, 'data');
    this.#onEnd = takeListener(socket, 'end');
    socket.on('data', this.#take);
    socket.on('end', () => this.#end());
    socket.on('resume', () => this.readOn());
  }

  /** Whether a part of a head has come. */
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

  /** What is held, if it may be read now. */
  readOn(): void {
    const held = this.#held;
    if (held === undefined || this.#isFeeding || this.#isStopped) return;
    if (this.#isBetween && !this.#owner.isFree) return;
    this.#held = undefined;
    if (this.#isPausing) this.#socket.resume();
    this.#isPausing = false;
    this.#feed(held);
  }

  /** Whatever else comes is thrown away, so that the client can read its answer. */
  stop(): void {
    this.#isStopped = true;
    this.#held = undefined;
    this.#socket.resume();
  }

  /** Nothing is read here any more. Gives what was held. */
  leave(): Buffer | undefined {
    const held = this.#held;
    this.#isStopped = true;
    this.#held = undefined;
    this.#socket.off('data', this.#take);
    return held;
  }

  /** Nothing of the next request was passed on. */
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

  /** Who says nothing more is taken to be gone: nobody would read the answers. */
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

/** Node's own: it is called by whoever takes it, and not by the socket any more. */
function takeListener(socket: Socket, event: 'data' | 'end'): (chunk?: Buffer) => void {
  const listener = socket.listeners(event).at(-1) as (chunk?: Buffer) => void;
  socket.removeListener(event, listener);
  return listener;
}
