import type { FastifyRequest } from 'fastify';
import { DomainError, isLoopback } from '#platform/foundation';

/** The part of requests that says how they have come. */
export type Arrival = Pick<FastifyRequest, 'protocol' | 'ip' | 'host'>;

/**
 * The address under which browsers and clients know the service: a configured one, where something in front
 * of it ends TLS, or that of each request.
 */
export class PublicAddress {
  readonly #url: URL | undefined;

  /** An origin; empty: the address of each request. Throws INVALID_CONFIG. */
  static parse(text: string): PublicAddress {
    if (text === '') return new PublicAddress(undefined);
    const url = URL.parse(text);
    const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
    if (!isOrigin) {
      const expected = 'expected an address without a path, such as https://plexus.example';
      throw new DomainError('INVALID_CONFIG', `PLEXUS_PUBLIC_URL: ${expected}`);
    }
    return new PublicAddress(url);
  }

  private constructor(url: URL | undefined) {
    this.#url = url;
  }

  /** The configured host name; undefined without one. */
  get hostname(): string | undefined {
    return this.#url?.hostname;
  }

  originOf({ protocol, host }: Arrival): string {
    return this.#url?.origin ?? `${protocol}://${host}`;
  }

  /** Whether the browser speaks TLS, to this service or to what stands in front of it. */
  isTls({ protocol }: Pick<Arrival, 'protocol'>): boolean {
    return (this.#url?.protocol ?? `${protocol}:`) === 'https:';
  }

  /** Cookies are for TLS; without it, for the browser on this machine only. */
  mayHaveCookies(request: Arrival): boolean {
    if (this.isTls(request)) return true;
    const name = URL.parse(this.originOf(request))?.hostname.replace(/^\[|\]$/g, '') ?? '';
    return isLoopback(name) && isLoopback(request.ip.replace(/^::ffff:/, ''));
  }
}
