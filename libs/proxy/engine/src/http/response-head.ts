/**
 * An upstream's response head, prepared for forwarding. Hot path: one pass for each response.
 *
 * Headers keep their order and their spelling. Removed are the hop-by-hop headers and those named by
 * `Connection`: framing and connection reuse are decided for each side separately.
 */
import { connectionWords, withoutNamed } from './forwarding-headers.ts';
import { foldedName, isAlias } from './header-names.ts';

/** Names a limit of a cluster: for peers that may see it only. */
export const OVERLOADED = 'x-plexus-overloaded';

const NO_CONTENT = 204;
/** Headers of this hop, and of this proxy. */
const ALIASED = new Set([
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'proxy-connection',
  OVERLOADED,
]);
const UPGRADE_REQUIRED = 426;

/** Headers as undici returns them: alternating names and values, as bytes. */
export type RawHeaders = readonly (Buffer | string)[];

export class ResponseHead {
  readonly statusCode: number;
  /** Alternating names and values. */
  headers: string[] = [];
  /** Why it cannot be forwarded; the other fields are invalid then. */
  fault: string | undefined;
  /** The Upgrade header of a 426, which has to name a protocol; empty otherwise. */
  upgrade = '';
  /** The value of `x-plexus-overloaded`, which is not among the headers; empty without it. */
  overloaded = '';
  /** Undefined: the body's length is unknown. */
  contentLength: number | undefined;
  #connection = '';
  #isChunked = false;

  constructor(statusCode: number, raw: RawHeaders) {
    this.statusCode = statusCode;
    if (statusCode < 100 || statusCode > 599) this.fault = `a status of ${statusCode}`;
    for (let index = 0; index < raw.length; index += 2) {
      const name = textOf(raw[index]!);
      const value = textOf(raw[index + 1]!);
      if (this.#isPassedOn(name, value)) this.headers.push(name, value);
    }
    if (this.#connection === '') return;
    this.headers = withoutNamed(this.headers, connectionWords(this.#connection));
  }

  /** The length rules out most names. */
  #isPassedOn(name: string, value: string): boolean {
    switch (name.length) {
      case 7:
      case 10:
      case 14:
      case 16:
      case 17:
      case 19:
        // An alias could be taken for the header itself.
        if (isAlias(name)) return !ALIASED.has(foldedName(name));
        return this.#isSpecialPassedOn(name.toLowerCase(), value);
      default:
        return true;
    }
  }

  #isSpecialPassedOn(name: string, value: string): boolean {
    switch (name) {
      case 'content-length':
        return this.#takeContentLength(value);
      case 'connection':
        this.#connection = this.#connection === '' ? value : `${this.#connection},${value}`;
        return false;
      case 'transfer-encoding':
        this.#takeTransferCoding(value);
        return false;
      case 'upgrade':
        if (this.statusCode === UPGRADE_REQUIRED) this.upgrade += this.upgrade === '' ? value : `, ${value}`;
        return false;
      case OVERLOADED:
        this.overloaded = value;
        return false;
      case 'keep-alive':
      case 'proxy-connection':
      case 'trailer':
        return false;
      default:
        return true;
    }
  }

  /** Returns whether it is forwarded: a response without a body has no length. */
  #takeContentLength(value: string): boolean {
    if (this.statusCode === NO_CONTENT || this.statusCode < 200) return false;
    this.contentLength = Number(value);
    return true;
  }

  /** undici removes the last coding, which is chunked, and does not report others. */
  #takeTransferCoding(value: string): void {
    if (this.#isChunked || value.trim().toLowerCase() !== 'chunked') this.fault = 'a coding but chunked';
    this.#isChunked = true;
  }
}

export function textOf(bytes: Buffer | string): string {
  return typeof bytes === 'string' ? bytes : bytes.toString('latin1');
}

/** Headers of a 101 that are set for each side separately. It has no body. */
const LEFT_OUT = new Set([
  'connection',
  'upgrade',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  OVERLOADED,
]);

/** The head of a 101 to WebSocket, as bytes. */
export function switchingHead(raw: RawHeaders): string {
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket'];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = textOf(raw[index] ?? '');
    if (!LEFT_OUT.has(foldedName(name))) lines.push(`${name}: ${textOf(raw[index + 1] ?? '')}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
