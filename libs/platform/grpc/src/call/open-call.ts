import { type Metadata, type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';
import type { IncomingHttpHeaders } from 'node:http';
import { constants } from 'node:http2';
import { type Caller, NOBODY } from '#platform/auth';
import type { ErrorCode } from '#platform/foundation';
import type { Span } from '#platform/observability';
import { callFailureOf, ERROR_TRAILER, errorTrailer } from './call-failure.ts';

/** Messages for calls that gRPC itself ends: its own expose internals. */
const OWN_WORDS: Readonly<Partial<Record<status, readonly [ErrorCode, string]>>> = {
  [status.RESOURCE_EXHAUSTED]: ['BODY_TOO_LARGE', 'the message is larger than the limit'],
  [status.DEADLINE_EXCEEDED]: ['QUERY_TIMEOUT', 'the deadline of the call has passed'],
  [status.UNIMPLEMENTED]: ['INVALID_REQUEST', 'expected one message'],
  [status.INTERNAL]: ['INTERNAL_ERROR', 'internal error'],
  [status.UNKNOWN]: ['INTERNAL_ERROR', 'internal error'],
};

/** The error of calls that gRPC ends before a message, since their data or deadline is invalid. */
const UNREADABLE = ['INVALID_REQUEST', 'the call cannot be decoded'] as const;

/** How long a client has to read the status of a call that was stopped. */
const LAST_READ_MS = 1_000;

type SentStatus = Parameters<ServerInterceptingCallInterface['sendStatus']>[0];

/** A call from its arrival to its status, however it ends. */
export class OpenCall {
  /** `package.Service/Method`. */
  readonly method: string;
  readonly #base: ServerInterceptingCallInterface;
  readonly #onEnd: (code: status) => void;
  requestId: string | undefined;
  /** Who calls, once the metadata have arrived. */
  caller: Caller | undefined;
  headers: IncomingHttpHeaders = {};
  /** Set once the metadata have arrived, if tracing is on. */
  span: Span | undefined;
  /** Number of messages received. */
  messages = 0;
  #hasEnded = false;
  #ending: AbortController | undefined;

  /** `base` is the connection's interceptor; `onEnd` is called once. */
  constructor(path: string, base: ServerInterceptingCallInterface, onEnd: (code: status) => void) {
    this.method = path.replace(/^\//, '');
    this.#base = base;
    this.#onEnd = onEnd;
    const send = base.sendStatus.bind(base);
    // Calls that gRPC ends itself (deadlines, messages that are too large) are reported through it too.
    base.sendStatus = (sent) => {
      const mapped = this.#mapped(sent);
      this.#end(mapped.code);
      send(mapped);
    };
  }

  get host(): string {
    return this.#base.getHost();
  }

  /** Address of the client. */
  get peer(): string {
    return this.#base.getPeer();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Aborted once the call has ended, however it ends. */
  get ended(): AbortSignal {
    this.#ending ??= new AbortController();
    if (this.#hasEnded) this.#ending.abort();
    return this.#ending.signal;
  }

  refuse(error: unknown): void {
    this.#base.sendStatus(callFailureOf(error, this.requestId));
  }

  /** Refuses a call that may have been answered in part; a client that does not read is cut off. */
  stop(error: unknown): void {
    if (this.#hasEnded) return;
    this.refuse(error);
    setTimeout(() => this.cutOff(), LAST_READ_MS).unref();
  }

  /** Ends the call with a status, though neither side has ended it. */
  end(code: status, details: string): void {
    if (!this.#hasEnded) this.#base.sendStatus({ code, details, metadata: null });
  }

  /** The client has cancelled the call or disconnected. */
  cancelled(): void {
    this.#end(status.CANCELLED);
  }

  /**
   * Resets the stream of a peer that does not read: a status would be queued behind the unread data, which
   * would stay in memory. gRPC has no public function for it, and the stream is a private field.
   */
  cutOff(): void {
    this.#end(status.RESOURCE_EXHAUSTED);
    const stream: unknown = Reflect.get(this.#base, 'stream');
    if (isResettable(stream)) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  #end(code: status): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#ending?.abort();
    this.#onEnd(code);
  }

  #mapped(sent: SentStatus): SentStatus {
    const { code, metadata } = sent;
    const isUnreadable = code === status.INTERNAL && this.messages === 0;
    const words = isUnreadable ? UNREADABLE : OWN_WORDS[code];
    if (words === undefined || (metadata?.get(ERROR_TRAILER).length ?? 0) > 0) return sent;
    const [error, message] = words;
    const body = { error, message, ...(this.requestId !== undefined && { request_id: this.requestId }) };
    const mappedCode = isUnreadable ? status.INVALID_ARGUMENT : code;
    return { code: mappedCode, details: message, metadata: errorTrailer(body) };
  }
}

interface ResettableStream {
  close(code: number): void;
}

function isResettable(stream: unknown): stream is ResettableStream {
  return typeof stream === 'object' && stream !== null && typeof Reflect.get(stream, 'close') === 'function';
}

const calls = new WeakMap<Metadata, OpenCall>();

/** Maps metadata to their call: handlers receive only the metadata. */
export function rememberCall(metadata: Metadata, call: OpenCall): void {
  calls.set(metadata, call);
}

/** Who sends the call of the metadata; nobody, who may do nothing, when it passed no gate. */
export function callerOfCall(metadata: Metadata): Caller {
  return calls.get(metadata)?.caller ?? NOBODY;
}

/** Aborted once the call of the metadata has ended; at once when it passed no gate. */
export function callEnded(metadata: Metadata): AbortSignal {
  return calls.get(metadata)?.ended ?? AbortSignal.abort();
}

/** The call of the metadata; undefined when it passed no gate. */
export function openCallOf(metadata: Metadata): OpenCall | undefined {
  return calls.get(metadata);
}
