import { type Metadata, type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';
import { constants } from 'node:http2';
import type { ErrorCode } from '#platform/foundation';
import type { Span } from '#platform/observability';
import { callFailureOf, ERROR_TRAILER, errorTrailer } from './call-failure.ts';

/** What gRPC itself ends calls with, in our words: its own tell of its inside. */
const OWN_WORDS: Readonly<Partial<Record<status, readonly [ErrorCode, string]>>> = {
  [status.RESOURCE_EXHAUSTED]: ['BODY_TOO_LARGE', 'the message is larger than the limit'],
  [status.DEADLINE_EXCEEDED]: ['QUERY_TIMEOUT', 'the deadline of the call has passed'],
  [status.UNIMPLEMENTED]: ['INVALID_REQUEST', 'expected one message'],
  [status.INTERNAL]: ['INTERNAL_ERROR', 'internal error'],
  [status.UNKNOWN]: ['INTERNAL_ERROR', 'internal error'],
};

type SentStatus = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

/** A call from its arrival to its status, however that comes about. */
export class OpenCall {
  /** `package.Service/Method`. */
  readonly method: string;
  readonly #base: ServerInterceptingCallInterface;
  readonly #onEnd: (code: status) => void;
  requestId: string | undefined;
  /** With tracing, from its metadata on. */
  span: Span | undefined;
  /** Messages received. */
  messages = 0;
  #hasEnded = false;

  /** `base`: as the connection made it; `onEnd` is called once. */
  constructor(path: string, base: ServerInterceptingCallInterface, onEnd: (code: status) => void) {
    this.method = path.replace(/^\//, '');
    this.#base = base;
    this.#onEnd = onEnd;
    const send = base.sendStatus.bind(base);
    // What gRPC ends by itself (deadlines, messages that are too large) comes here too.
    base.sendStatus = (sent) => {
      const told = this.#told(sent);
      this.#end(told.code);
      send(told);
    };
  }

  get host(): string {
    return this.#base.getHost();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  refuse(error: unknown): void {
    this.#base.sendStatus(callFailureOf(error, this.requestId));
  }

  /** Ends it in good order, though neither side has. */
  end(code: status, details: string): void {
    if (!this.#hasEnded) this.#base.sendStatus({ code, details, metadata: null });
  }

  /** The other side has gone. */
  cancelled(): void {
    this.#end(status.CANCELLED);
  }

  /**
   * Resets the stream of a peer that does not read: a status would wait behind what it leaves unread, and
   * that would stay in memory. gRPC has no word for it, and the stream is private there.
   */
  cutOff(): void {
    this.#end(status.RESOURCE_EXHAUSTED);
    const stream: unknown = Reflect.get(this.#base, 'stream');
    if (isResettable(stream)) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  #end(code: status): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#onEnd(code);
  }

  #told(sent: SentStatus): SentStatus {
    const { code, metadata } = sent;
    const words = OWN_WORDS[code];
    if (words === undefined || (metadata?.get(ERROR_TRAILER).length ?? 0) > 0) return sent;
    const [error, message] = words;
    const body = { error, message, ...(this.requestId !== undefined && { request_id: this.requestId }) };
    return { code, details: message, metadata: errorTrailer(body) };
  }
}

interface ResettableStream {
  close(code: number): void;
}

function isResettable(stream: unknown): stream is ResettableStream {
  return typeof stream === 'object' && stream !== null && typeof Reflect.get(stream, 'close') === 'function';
}

const calls = new WeakMap<Metadata, OpenCall>();

/** Remembers whose the metadata are: a handler is given them. */
export function rememberCall(metadata: Metadata, call: OpenCall): void {
  calls.set(metadata, call);
}

/** The call that came with the metadata; undefined when it went through no gate. */
export function openCallOf(metadata: Metadata): OpenCall | undefined {
  return calls.get(metadata);
}
