/**
 * A request's head, checked and made ready to be forwarded, in one pass. Hot path.
 *
 * Node's parser (llhttp, strict) has refused most malformed requests before: what it lets pass is refused
 * here, so that the upstream never sees two readings of one request.
 *
 *     two Host, none in HTTP/1.1, or one that is no host     400
 *     Transfer-Encoding other than one `chunked`, or in 1.0  400
 *     a version other than 1.0 and 1.1                       400
 *     a target with another authority than Host, user info,
 *       or a fragment; `*` other than for OPTIONS            400
 *
 * Headers keep their order and their spelling. Left out are the hop-by-hop ones, those that `Connection`
 * names, `Expect` (it is answered here), and from peers that are not trusted everything that says who the
 * client is, also in the spelling with `_` that CGI cannot tell from the other. The first line was looked at
 * before: the parser does not tell what it has read there.
 */
import type { IncomingMessage } from 'node:http';
import { isHost } from '../config/host-syntax.ts';
import {
  addForwarding,
  connectionWords,
  FORWARDING_LENGTHS,
  isForwarding,
  looksForwarded,
  withoutNamed,
} from './forwarding-headers.ts';
import type { RequestOrigin } from './http-host.ts';

/** A target that does not begin with `/`, or has a fragment. */
type Target =
  | { readonly path: string; readonly fault?: undefined }
  | { readonly path?: undefined; readonly fault: string };

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;

const SLASH = 0x2f;
/** Of names that matter here: the length tells most others apart. */
const IS_SPECIAL_LENGTH = new Uint8Array(64);
for (const length of [2, 4, 6, 7, 9, 10, 14, 15, 16, 17, ...FORWARDING_LENGTHS])
  IS_SPECIAL_LENGTH[length] = 1;
const HOP_BY_HOP = new Set(['te', 'trailer', 'keep-alive', 'proxy-connection']);

export class RequestHead {
  /** What is wrong with it, for the client; then nothing else is valid. */
  fault: string | undefined;
  /** As it was sent; empty when HTTP/1.0 had none. */
  host = '';
  /** The path and query. */
  path: string;
  /** Names and values in turn, to be forwarded. */
  headers: string[] = [];
  /** Undefined: none was announced. */
  contentLength: number | undefined;
  isChunked = false;
  /** In lower case; empty when no change of protocol is asked for. */
  upgrade = '';
  /** In lower case; empty when there is none. */
  expectation = '';
  /** What the peer says of the client; empty when it says nothing. */
  forwardedFor = '';
  #hosts = 0;
  #transferCodings = 0;
  #connection = '';

  constructor(request: IncomingMessage, origin: RequestOrigin) {
    this.path = request.url ?? '';
    const raw = request.rawHeaders;
    for (let index = 0; index < raw.length; index += 2) this.#take(raw[index]!, raw[index + 1]!, origin);
    this.#check(request);
    if (this.fault !== undefined) return;
    if (this.#connection !== '') this.#heedConnection();
    else this.upgrade = '';
    addForwarding(this.headers, this.host, origin, request.httpVersion);
  }

  get hasBody(): boolean {
    return this.isChunked || (this.contentLength !== undefined && this.contentLength > 0);
  }

  #take(name: string, value: string, origin: RequestOrigin): void {
    const isSpecial = IS_SPECIAL_LENGTH[name.length] === 1 || looksForwarded(name);
    if (!isSpecial || this.#takeSpecial(name.toLowerCase(), value, origin)) this.headers.push(name, value);
  }

  /** Gives whether it is forwarded. */
  #takeSpecial(name: string, value: string, origin: RequestOrigin): boolean {
    switch (name) {
      case 'host':
        this.#hosts += 1;
        this.host = value;
        return true;
      case 'content-length':
        this.contentLength = Number(value);
        return true;
      case 'transfer-encoding':
        this.#takeTransferCoding(value);
        return false;
      case 'connection':
        this.#connection = this.#connection === '' ? value : `${this.#connection},${value}`;
        return false;
      case 'upgrade':
        this.upgrade = value.toLowerCase();
        return false;
      case 'expect':
        this.expectation = value.trim().toLowerCase();
        return false;
      case 'x-forwarded-for':
        this.forwardedFor = this.forwardedFor === '' ? value : `${this.forwardedFor},${value}`;
        return origin.isTrusted;
      default:
        return !HOP_BY_HOP.has(name) && (origin.isTrusted || !isForwarding(name));
    }
  }

  #takeTransferCoding(value: string): void {
    this.#transferCodings += 1;
    this.isChunked = value.trim().toLowerCase() === 'chunked';
    if (!this.isChunked) this.fault = 'a transfer coding other than chunked';
  }

  #check({ httpVersion, method = '' }: IncomingMessage): void {
    if (this.fault !== undefined) return;
    const isVersion11 = httpVersion === '1.1';
    if (!isVersion11 && httpVersion !== '1.0') this.fault = 'a version other than 1.0 and 1.1';
    else if (this.#hosts > 1) this.fault = 'more than one host';
    else if (this.#hosts === 0 && isVersion11) this.fault = 'no host';
    else if (this.#hosts === 1 && !isHost(this.host)) this.fault = 'a host that is none';
    else this.fault = this.#lengthFault(isVersion11);
    if (this.fault === undefined) this.#checkTarget(method);
  }

  #lengthFault(isVersion11: boolean): string | undefined {
    if (this.isChunked) {
      if (this.#transferCodings > 1) return 'more than one transfer coding';
      if (!isVersion11) return 'a transfer coding in HTTP/1.0';
      return this.contentLength === undefined ? undefined : 'two lengths';
    }
    const isLength = this.contentLength === undefined || Number.isSafeInteger(this.contentLength);
    return isLength ? undefined : 'a length that is none';
  }

  #checkTarget(method: string): void {
    if (this.path.charCodeAt(0) === SLASH && !this.path.includes('#')) return;
    const target = readTarget(this.path, method, this.host);
    if (target.fault !== undefined) this.fault = target.fault;
    else this.path = target.path;
  }

  /** `Connection` names what is meant for this hop only. */
  #heedConnection(): void {
    const words = connectionWords(this.#connection);
    if (!words.includes('upgrade')) this.upgrade = '';
    this.headers = withoutNamed(this.headers, words);
  }
}

/** `host` is the Host header, empty when there is none: the authority of an absolute target has to be it. */
function readTarget(target: string, method: string, host: string): Target {
  if (target.includes('#')) return { fault: 'a fragment in the target' };
  if (target === '*') return method === 'OPTIONS' ? { path: '*' } : { fault: 'a target for OPTIONS only' };
  const [, authority, rest] = ABSOLUTE.exec(target) ?? [];
  if (authority === undefined || rest === undefined) return { fault: 'a target that is no path' };
  if (authority.toLowerCase() !== host.toLowerCase()) return { fault: 'a target for another host' };
  return { path: rest.startsWith('/') ? rest : `/${rest}` };
}
