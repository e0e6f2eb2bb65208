/**
 * A request's body on its way to the upstream.
 *
 * 1. It is held back until it has ended, or the turn of the event loop is over in which it came, so that a
 *    small one is forwarded in one write, and one that is malformed in its first packet not at all.
 * 2. Up to 64 KiB are remembered, so that a request can be tried again. What is longer can be sent once.
 * 3. Back-pressure holds in both directions: the client is read as fast as the upstream takes it.
 * 4. Once nobody wants it any more, the rest is read and thrown away, so that the client can read its answer.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

export const REPLAYABLE_BYTES_MAX = 65_536;

export interface RequestBodyOwner {
  /** The body, or the beginning of it, can be forwarded. */
  bodyReady(): void;
  /** A part has come, or was let through: the client is not at fault for the pause before. */
  bodyMoved(): void;
  /** All of it has come. */
  bodyEnded(): void;
}

export class RequestBody {
  readonly #request: IncomingMessage;
  readonly #owner: RequestBodyOwner;
  #remembered: Buffer[] | undefined = [];
  #rememberedBytes = 0;
  #stream: BodyStream | undefined;
  #isReady = false;
  #isUnwanted = false;
  #hasEnded = false;

  constructor(request: IncomingMessage, owner: RequestBodyOwner) {
    this.#request = request;
    this.#owner = owner;
    request.on('data', (chunk: Buffer) => this.#take(chunk));
    request.once('end', () => this.#end());
    setImmediate(() => this.#setReady());
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether it can be forwarded, and forwarded again after that. */
  get isReplayable(): boolean {
    return this.#remembered !== undefined && this.#rememberedBytes <= REPLAYABLE_BYTES_MAX;
  }

  /** Whether the pause is the client's. */
  get isAwaited(): boolean {
    return !this.#hasEnded && !this.#request.isPaused();
  }

  /** From the beginning. Only one is under way at a time. */
  forward(): Buffer | Readable {
    this.detach();
    const remembered = this.#remembered ?? [];
    if (!this.isReplayable) this.#remembered = undefined;
    if (this.#hasEnded) return Buffer.concat(remembered);
    this.#stream = new BodyStream(this.#request, remembered);
    return this.#stream;
  }

  /** What comes is kept for another {@link forward}. */
  detach(): void {
    this.#stream?.destroy();
    this.#stream = undefined;
  }

  /** What comes is thrown away. */
  discard(): void {
    this.#isUnwanted = true;
    this.#remembered = undefined;
    this.detach();
    this.#request.resume();
  }

  #take(chunk: Buffer): void {
    this.#owner.bodyMoved();
    if (this.#isUnwanted) return;
    this.#remember(chunk);
    // As long as nobody takes it, no more is read than is remembered anyway.
    const hasRoom = this.#stream?.push(chunk) ?? this.#rememberedBytes <= REPLAYABLE_BYTES_MAX;
    if (!hasRoom) this.#request.pause();
  }

  #remember(chunk: Buffer): void {
    if (this.#remembered === undefined) return;
    this.#rememberedBytes += chunk.length;
    if (this.#rememberedBytes <= REPLAYABLE_BYTES_MAX || this.#stream === undefined) {
      this.#remembered.push(chunk);
    } else {
      this.#remembered = undefined;
    }
  }

  #end(): void {
    this.#hasEnded = true;
    this.#stream?.push(null);
    this.#owner.bodyEnded();
    this.#setReady();
  }

  #setReady(): void {
    if (this.#isReady || this.#isUnwanted) return;
    this.#isReady = true;
    this.#owner.bodyReady();
  }
}

/** The part that is known already, and then what comes. */
class BodyStream extends Readable {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage, known: readonly Buffer[]) {
    super({ emitClose: true });
    this.#request = request;
    for (const chunk of known) this.push(chunk);
  }

  override _read(): void {
    this.#request.resume();
  }
}
