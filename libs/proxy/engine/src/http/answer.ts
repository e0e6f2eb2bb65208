/**
 * What the client gets. Hot path.
 *
 * 1. The last part of a body whose length is known waits for the end, which follows in the same turn, so that
 *    both are one write; a short one is one string with the head. A head that no body follows in its turn is
 *    sent alone.
 * 2. Once its head is on the way, a failure can only be told by cutting the connection: an answer that is not
 *    whole never ends clean. Where only the connection's end tells the end of the body, the cut is a reset.
 * 3. Node's setters throw for what they do not like, and undici's calls must not: all that comes from an
 *    upstream goes through here, and what cannot be said is left out, or refused.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ListenerCounters } from '../listener/listener-counters.ts';
import { resetSocket } from '../tcp/reset-socket.ts';
import type { Flushable, HeadFlusher } from './head-flusher.ts';
import type { OwnAnswer } from './own-answer.ts';
import { type RawHeaders, type ResponseHead, textOf } from './response-head.ts';

/**
 * The reason in an upstream's status line, as it can be passed on: bytes of UTF-8 and Latin-1 stay, and what
 * no header may have becomes a question mark. Hot path: most have nothing to clean.
 */
const PLAIN = /^[\t\x20-\x7e]*$/;

const UNFIT = /[^\t\x20-\x7e\x80-\xff]/g;

/** What undici makes of bytes that are no UTF-8. */
const REPLACEMENT = '\ufffd';

const UNKNOWN = -1;
/** So much of a body is copied, to be one string with its head: one part to be written instead of two. */
const JOINED_BYTES_MAX = 8_192;

export class ForwardedAnswer implements Flushable {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #counters: ListenerCounters;
  /** Of the body, as far as its length is known. */
  #bytesLeft = UNKNOWN;
  #last: Buffer | undefined;
  #isHeadSent = false;
  /** Node has begun with a head, and thrown. */
  #isSpoilt = false;

  constructor(request: IncomingMessage, response: ServerResponse, counters: ListenerCounters) {
    this.#request = request;
    this.#response = response;
    this.#counters = counters;
  }

  /** Whether the client may have seen a part of it. */
  get isBegun(): boolean {
    return this.#response.headersSent;
  }

  /** 0 before it has begun. */
  get statusCode(): number {
    return this.isBegun ? this.#response.statusCode : 0;
  }

  /** The client may send its body. */
  allowBody(): void {
    this.#response.writeContinue();
  }

  inform(head: ResponseHead): void {
    if (this.isBegun || this.#request.httpVersion !== '1.1') return;
    const response = this.#response;
    // Node 22 cannot say it. What only informs may be left out, also when the client does not take it.
    if (!('writeInformation' in response) || response.socket?.writableNeedDrain !== false) return;
    try {
      response.writeInformation(head.statusCode, head.headers);
    } catch {
      // On purpose: nothing of it was sent.
    }
  }

  /** Gives false when it cannot be said; then nothing of it was sent, and nothing else can be. */
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

  /** Gives false when the client has to be waited for. */
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

  /** The whole answer is the proxy's own. */
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

  /** The connection ends with it. Said before it has begun. */
  beLast(): void {
    this.#response.shouldKeepAlive = false;
  }

  /**
   * After what there is of it, the connection ends. Where the client could take that for the end of the
   * answer, by a reset of `raw`, the socket below TLS.
   */
  cut(raw: Socket): void {
    const isEndedByClose = !this.#response.chunkedEncoding && this.#bytesLeft === UNKNOWN;
    if (!this.isBegun || isEndedByClose) resetSocket(raw);
    else this.#response.socket?.destroySoon();
  }

  /** The turn is over. */
  flush(): void {
    if (this.#isHeadSent || this.#response.destroyed) return;
    this.#isHeadSent = true;
    this.#response.flushHeaders();
  }

  /** `Connection` has to name it; Node then leaves to us what else it says. */
  #withUpgrade({ headers, upgrade }: ResponseHead): string[] {
    const connection = this.#response.shouldKeepAlive ? 'Upgrade' : 'close, Upgrade';
    return [...headers, 'Upgrade', upgrade, 'Connection', connection];
  }

  #addTrailers(trailers: RawHeaders): void {
    try {
      this.#response.addTrailers(trailersOf(trailers));
    } catch {
      // On purpose: the answer is whole without them.
    }
  }
}

function cleanReason(reason: string): string {
  if (PLAIN.test(reason)) return reason;
  return Buffer.from(reason.replaceAll(REPLACEMENT, '?'), 'utf8').toString('latin1').replace(UNFIT, '?');
}

/** What may not come after a body, because it says how to read it or where it goes (RFC 9110, 6.5.1). */
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
]);

/** The trailers that are passed on. */
function trailersOf(raw: RawHeaders): [string, string][] {
  const trailers: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = textOf(raw[index] ?? '');
    if (!FORBIDDEN.has(name.toLowerCase())) trailers.push([name, textOf(raw[index + 1] ?? '')]);
  }
  return trailers;
}
