/**
 * A request's head, validated and prepared for forwarding in one pass. Hot path.
 *
 * Node's parser (llhttp, strict) has rejected most malformed requests: those that it accepts are rejected
 * here, so that the upstream cannot parse a request in another way.
 *
 *     two Host, none in HTTP/1.1, or an invalid one          400
 *     Transfer-Encoding other than one `chunked`, or in 1.0  400
 *     a version other than 1.0 and 1.1                       400
 *     a target with another authority than Host, user info,
 *       or a fragment; `*` other than for OPTIONS            400
 *
 * Headers keep their order and their spelling. Removed are the hop-by-hop headers, those named by
 * `Connection`, `Expect` (it is answered here), and for untrusted peers all headers that identify the client.
 * Aliases of these with `_` or `.` are removed too. The first line was checked before: the parser does not
 * report its exact text.
 */
import type { IncomingMessage } from 'node:http';
import { isHost } from '../config/host-syntax.ts';
import {
  addForwarding,
  connectionWords,
  FOR,
  FORWARDING_LENGTHS,
  isForwarding,
  looksForwarded,
  withoutNamed,
} from './forwarding-headers.ts';
import { foldedName, isAlias } from './header-names.ts';
import type { RequestOrigin } from './http-host.ts';

/** A target that does not begin with `/`, or has a fragment. */
type Target =
  | { readonly path: string; readonly fault?: undefined }
  | { readonly path?: undefined; readonly fault: string };

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;

const SLASH = 0x2f;
/** Lengths of the names that matter: they rule out most others. */
const IS_SPECIAL_LENGTH = new Uint8Array(64);
for (const length of [2, 4, 6, 7, 9, 10, 12, 14, 15, 16, 17, ...FORWARDING_LENGTHS])
  IS_SPECIAL_LENGTH[length] = 1;
const HOP_BY_HOP = new Set(['trailer', 'keep-alive', 'proxy-connection']);
const OF_THIS_HOP = new Set(['content-length', 'transfer-encoding', ...HOP_BY_HOP]);
const TRAILERS = /(?:^|,)[ \t]*trailers[ \t]*(?:,|;|$)/i;

export class RequestHead {
  /** The fault, for the client; the other fields are invalid then. */
  fault: string | undefined;
  /** The Host header as sent; empty when HTTP/1.0 had none. */
  host = '';
  /** The path and query. */
  path: string;
  /** The headers to forward, as alternating names and values. */
  headers: string[] = [];
  /** Undefined without Content-Length. */
  contentLength: number | undefined;
  isChunked = false;
  /** The Upgrade header in lower case; empty when no upgrade is requested. */
  upgrade = '';
  /** The Expect header in lower case; empty when there is none. */
  expectation = '';
  /** The peer's `X-Forwarded-For`; empty when there is none. */
  forwardedFor = '';
  /** The client accepts trailers: `TE: trailers`. */
  acceptsTrailers = false;
  /** Undefined without a valid `Max-Forwards`. */
  maxForwards: number | undefined;
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

  /** Writes `Max-Forwards` anew, one lower. */
  forwardOnce(maxForwards: number): void {
    this.headers = withoutNamed(this.headers, ['max-forwards']);
    this.headers.push('Max-Forwards', String(maxForwards - 1));
  }

  #take(name: string, value: string, origin: RequestOrigin): void {
    const isSpecial = IS_SPECIAL_LENGTH[name.length] === 1 || looksForwarded(name);
    if (!isSpecial || this.#isPassedOn(name, value, origin)) this.headers.push(name, value);
  }

  #isPassedOn(name: string, value: string, origin: RequestOrigin): boolean {
    if (isAlias(name)) return isAliasPassedOn(foldedName(name), origin);
    return this.#takeSpecial(name.toLowerCase(), value, origin);
  }

  /** Returns whether the header is forwarded. */
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
      case 'x-forwarded-for':
        this.forwardedFor = this.forwardedFor === '' ? value : `${this.forwardedFor},${value}`;
        return origin.isTrusted;
      default:
        if (this.#takeOption(name, value)) return false;
        return !HOP_BY_HOP.has(name) && (origin.isTrusted || !isForwarding(name));
    }
  }

  /** Returns whether the header is replaced by one of the proxy's own. */
  #takeOption(name: string, value: string): boolean {
    switch (name) {
      case 'upgrade':
        this.upgrade = value.toLowerCase();
        return true;
      case 'te':
        this.acceptsTrailers ||= TRAILERS.test(value);
        return true;
      case 'expect':
        this.expectation = value.trim().toLowerCase();
        return true;
      case 'max-forwards':
        this.maxForwards = /^\d{1,9}$/.test(value) ? Number(value) : undefined;
        return false;
      default:
        return false;
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
    else if (this.#hosts === 1 && !isHost(this.host)) this.fault = 'an invalid host';
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
    return isLength ? undefined : 'an invalid length';
  }

  #checkTarget(method: string): void {
    if (this.path.charCodeAt(0) === SLASH && !this.path.includes('#')) return;
    const target = readTarget(this.path, method, this.host);
    if (target.fault !== undefined) this.fault = target.fault;
    else this.path = target.path;
  }

  /** `Connection` names the headers of this hop only. */
  #heedConnection(): void {
    const words = connectionWords(this.#connection);
    if (!words.includes('upgrade')) this.upgrade = '';
    this.headers = withoutNamed(this.headers, words);
  }
}

/** An upstream may take it for a header of this hop, or for the list of addresses that is continued here. */
function isAliasPassedOn(name: string, { isTrusted }: RequestOrigin): boolean {
  if (OF_THIS_HOP.has(name) || name === FOR) return false;
  return isTrusted || !isForwarding(name);
}

/** `host` is the Host header, or empty: the authority of an absolute target must equal it. */
function readTarget(target: string, method: string, host: string): Target {
  if (target.includes('#')) return { fault: 'a fragment in the target' };
  if (target === '*') return method === 'OPTIONS' ? { path: '*' } : { fault: 'a target for OPTIONS only' };
  const [, authority, rest] = ABSOLUTE.exec(target) ?? [];
  if (authority === undefined || rest === undefined) return { fault: 'a target that is not a path' };
  if (authority.toLowerCase() !== host.toLowerCase()) return { fault: 'a target for another host' };
  return { path: rest.startsWith('/') ? rest : `/${rest}` };
}
