/**
 * An upstream's head, made ready to be passed on. Hot path: one pass for each answer.
 *
 * Headers keep their order and their spelling. Left out are the hop-by-hop ones and those that `Connection`
 * names: how the answer is framed and whether the connection is kept is settled for each side anew.
 */
import { connectionWords, withoutNamed } from './forwarding-headers.ts';

const NO_CONTENT = 204;
const UPGRADE_REQUIRED = 426;

/** What undici gives: names and values in turn, as bytes. */
export type RawHeaders = readonly (Buffer | string)[];

export class ResponseHead {
  readonly statusCode: number;
  /** Names and values in turn. */
  headers: string[] = [];
  /** Why it cannot be passed on; then nothing else is valid. */
  fault: string | undefined;
  /** Of a 426, which has to name what it asks for; empty otherwise. */
  upgrade = '';
  /** Undefined: the end of the body is not known by its length. */
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

  /** The length tells most names apart from those that matter. */
  #isPassedOn(name: string, value: string): boolean {
    switch (name.length) {
      case 7:
      case 10:
      case 14:
      case 16:
      case 17:
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
      case 'keep-alive':
      case 'proxy-connection':
      case 'trailer':
        return false;
      default:
        return true;
    }
  }

  /** Gives whether it is passed on: an answer that has no body has no length. */
  #takeContentLength(value: string): boolean {
    if (this.statusCode === NO_CONTENT || this.statusCode < 200) return false;
    this.contentLength = Number(value);
    return true;
  }

  /** undici takes off the last coding, which is chunked, and tells of no other. */
  #takeTransferCoding(value: string): void {
    if (this.#isChunked || value.trim().toLowerCase() !== 'chunked') this.fault = 'a coding but chunked';
    this.#isChunked = true;
  }
}

export function textOf(bytes: Buffer | string): string {
  return typeof bytes === 'string' ? bytes : bytes.toString('latin1');
}

/** Of the head of a 101: what is settled for each side anew. It has no body. */
const LEFT_OUT = new Set(['connection', 'upgrade', 'keep-alive', 'transfer-encoding', 'content-length']);

/** The head of a 101 to WebSocket, as bytes. */
export function switchingHead(raw: RawHeaders): string {
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket'];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = textOf(raw[index] ?? '');
    if (!LEFT_OUT.has(name.toLowerCase())) lines.push(`${name}: ${textOf(raw[index + 1] ?? '')}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
