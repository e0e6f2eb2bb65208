import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Soon, whenThere } from '#platform/foundation';
import type { Caller } from '../caller.ts';
import type { PublicAddress } from './public-address.ts';
import type { Sessions } from './sessions.ts';

/** A header that a page of another origin cannot send, and no form. */
export const PAGE_HEADER = 'x-plexus-page';
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** The cookies of a sign-in, and of the session that it begins. */
export type CookieKind = 'session' | 'sign-in';

/** The part of requests and responses on which cookies depend. */
export type CookieRequest = Pick<FastifyRequest, 'headers' | 'method' | 'protocol' | 'ip' | 'host'>;

/** With TLS no other host, and no page without TLS, can set or read it. */
function nameOf(kind: CookieKind, isTls: boolean): string {
  return `${isTls ? '__Host-' : ''}plexus-${kind}`;
}

/** The value of a cookie of a request; undefined where there is none, or more than one. */
export function cookieOf(
  kind: CookieKind,
  request: CookieRequest,
  address: PublicAddress,
): string | undefined {
  if (!address.mayHaveCookies(request)) return undefined;
  const prefix = `${nameOf(kind, address.isTls(request))}=`;
  const values = (request.headers.cookie ?? '').split(/; */).filter((pair) => pair.startsWith(prefix));
  return values.length === 1 ? values[0]?.slice(prefix.length) : undefined;
}

/** The header that sets a cookie until the browser ends, or removes it where there is no value. */
export function setCookie(kind: CookieKind, value: string | undefined, isTls: boolean): string {
  const secure = isTls ? '; Secure' : '';
  const end = value === undefined ? '; Max-Age=0' : '';
  return `${nameOf(kind, isTls)}=${value ?? ''}; Path=/; HttpOnly; SameSite=Lax${secure}${end}`;
}

/** Whether the page itself sends the request: what changes something needs its header. */
export function isOfPage({ method, headers }: Pick<CookieRequest, 'method' | 'headers'>): boolean {
  if (READS.has(method)) return true;
  const site = headers['sec-fetch-site'];
  return headers[PAGE_HEADER] !== undefined && (site === undefined || site === 'same-origin');
}

/** Finds the callers of requests by their cookies. */
export class SessionCookies {
  readonly #sessions: Sessions;
  readonly #address: PublicAddress;
  readonly #renewed = new WeakMap<CookieRequest, string>();

  constructor(sessions: Sessions, address: PublicAddress) {
    this.#sessions = sessions;
    this.#address = address;
  }

  onChange(listener: () => void): void {
    this.#sessions.onChange(listener);
  }

  callerOf(request: CookieRequest): Soon<Caller | undefined> {
    const cookie = isOfPage(request) ? cookieOf('session', request, this.#address) : undefined;
    if (cookie === undefined) return undefined;
    return whenThere(this.#sessions.find(cookie), (found) => {
      if (found?.renewed !== undefined) this.#renewed.set(request, found.renewed);
      return found?.caller;
    });
  }

  /** Gives the browser the new secret of its session, if there is one. */
  renew(request: FastifyRequest, reply: FastifyReply): void {
    const renewed = this.#renewed.get(request);
    if (renewed !== undefined)
      reply.header('Set-Cookie', setCookie('session', renewed, this.#address.isTls(request)));
  }
}
