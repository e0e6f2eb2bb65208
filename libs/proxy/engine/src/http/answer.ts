/**
 * The response to a client. Hot path.
 *
 * 1. The last part of a body of known length waits for the end, which follows in the same turn, so that both
 *    are one write; a short body is one string with the head. A head without a body in the same turn is sent
 *    alone.
 * 2. Once its head is sent, a failure can only be signalled by cutting the connection: an incomplete response
 *    never ends cleanly. Where the body ends with the connection, the cut is a reset.
 * 3. Node's setters throw for invalid values, and undici's callbacks must not throw: everything from an
 *    upstream passes through this class, and invalid values are dropped, or the response is rejected.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ListenerCounters } from '../listener/listener-counters.ts';
import { resetSocket } from '../tcp/reset-socket.ts';
import { foldedName } from './header-names.ts';
import type { Flushable, HeadFlusher } from './head-flusher.ts';
import type { OwnAnswer } from './own-answer.ts';
import { OVERLOADED, type RawHeaders, type ResponseHead, textOf } from './response-head.ts';

/**
 * The reason phrase of an upstream's status line: bytes of UTF-8 and Latin-1 are kept, and bytes that no
 * header may contain become question marks. Hot path: most phrases need no change.
 */
const PLAIN = /^[\t\x20-\x7e]*$/;

const UNFIT = /[^\t\x20-\x7e\x80-\xff]/g;

/** undici's replacement for bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

const UNKNOWN = -1;
/** A body up to this size is copied into one string with its head: one write instead of two. */
const JOINED_BYTES_MAX = 8_192;

export class ForwardedAnswer implements Flushable {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #counters: ListenerCounters;
  /** Remaining bytes of the body, if its length is known. */
  #bytesLeft = UNKNOWN;
  #last: Buffer | undefined;
  #isHeadSent = false;
  /** Node has thrown after it had begun with a head. */
  #isSpoilt = false;

  constructor(request: IncomingMessage, response: ServerResponse, counters: ListenerCounters) {
    this.#request = request;
    this.#response = response;
    this.#counters = counters;
  }

  /** Whether the client may have received a part of it. */
  get isBegun(): boolean {
    return this.#response.headersSent;
  }

  /** Status code of the answer; 0 before it has begun. */
  get statusCode(): number {
    return this.isBegun ? this.#response.statusCode : 0;
  }

  /** Sends 100 Continue. */
  allowBody(): void {
    this.#response.writeContinue();
  }

  inform(head: ResponseHead): void {
    if (this.isBegun || this.#request.httpVersion !== '1.1') return;
    const response = this.#response;
    // Node 22 has no such method. Interim responses may be dropped, also when the client does not read them.
    if (!('writeInformation' in response) || response.socket?.writableNeedDrain !== false) return;
    try {
      response.writeInformation(head.statusCode, head.headers);
    } catch {
      // Intended: nothing of it was sent.
    }
  }

  /** Returns false when the head cannot be written; then nothing was sent, and nothing can be. */
  begin(head: ResponseHead, reason: string, flusher: HeadFlusher): boolean {
    const { statusCode, contentLength } = head;
    const headers = head.upgrade === '' ? head.headers : this.#withUpgrade(head);
    this.#bytesLeft = contentLength ?? UNKNOWN;
    try {
      if (reason === '') this.#response.writeHead(statusCode, headers);
      else this.#response.writeHead(statusCode, cleanReason(reason), headers);
    } catch {
      this.#isSpoilt = true;
      return false;
    }
    this.#counters.countAnswer(statusCode);
    flusher.add(this);
    return true;
  }

  /** Returns false when the caller has to wait for the client. */
  write(chunk: Buffer): boolean {
    if (chunk.length === this.#bytesLeft) {
      this.#last = chunk;
      return true;
    }
    if (this.#bytesLeft !== UNKNOWN) this.#bytesLeft -= chunk.length;
    this.#isHeadSent = true;
    return this.#response.write(chunk);
  }

  end(trailers: RawHeaders): void {
    const response = this.#response;
    const last = this.#last;
    const isWithHead = !this.#isHeadSent;
    this.#isHeadSent = true;
    if (trailers.length > 0) this.#addTrailers(trailers);
    if (last === undefined) response.end();
    else if (isWithHead && last.length <= JOINED_BYTES_MAX) response.end(last.toString('latin1'), 'latin1');
    else response.end(last);
  }

  /** Sends a complete response of the proxy's own. */
  send({ statusCode, text, headers = [] }: OwnAnswer): void {
    const response = this.#response;
    if (this.#isSpoilt) {
      response.destroy();
      return;
    }
    const body = text === '' ? undefined : `${text}\n`;
    const described =
      body === undefined
        ? []
        : ['content-type', 'text/plain; charset=utf-8', 'content-length', String(Buffer.byteLength(body))];
    this.#counters.countAnswer(statusCode);
    response.writeHead(statusCode, STATUS_CODES[statusCode] ?? '', [...headers, ...described]);
    response.end(body);
  }

  /** Closes the connection after this response. Call it before the response has begun. */
  closeConnectionAfter(): void {
    this.#response.shouldKeepAlive = false;
  }

  /**
   * Closes the connection after the part that was sent. Where the client could mistake that for the end of
   * the response, `raw`, the socket below TLS, is reset.
   */
  cut(raw: Socket): void {
    const isEndedByClose = !this.#response.chunkedEncoding && this.#bytesLeft === UNKNOWN;
    if (!this.isBegun || isEndedByClose) resetSocket(raw);
    else this.#response.socket?.destroySoon();
  }

  /** Called at the end of the turn. */
  flush(): void {
    if (this.#isHeadSent || this.#response.destroyed) return;
    this.#isHeadSent = true;
    this.#response.flushHeaders();
  }

  /** `Connection` has to name `Upgrade`; Node then leaves the rest of the header to the caller. */
  #withUpgrade({ headers, upgrade }: ResponseHead): string[] {
    const connection = this.#response.shouldKeepAlive ? 'Upgrade' : 'close, Upgrade';
    return [...headers, 'Upgrade', upgrade, 'Connection', connection];
  }

  #addTrailers(trailers: RawHeaders): void {
    try {
      this.#response.addTrailers(trailersOf(trailers));
    } catch {
      // Intended: the response is complete without trailers.
    }
  }
}

function cleanReason(reason: string): string {
  if (PLAIN.test(reason)) return reason;
  return Buffer.from(reason.replaceAll(REPLACEMENT, '?'), 'utf8').toString('latin1').replace(UNFIT, '?');
}

/** Fields not allowed in trailers, because they control framing or routing (RFC 9110, 6.5.1). */
const FORBIDDEN = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'host',
  'keep-alive',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  OVERLOADED,
]);

/** The trailers that are forwarded. */
function trailersOf(raw: RawHeaders): [string, string][] {
  const trailers: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = textOf(raw[index] ?? '');
    if (!FORBIDDEN.has(foldedName(name))) trailers.push([name, textOf(raw[index + 1] ?? '')]);
  }
  return trailers;
}
