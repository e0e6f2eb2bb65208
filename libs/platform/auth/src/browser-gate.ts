/**
 * Open mode trusts every client that can reach the port, but not a web page of another origin that runs in
 * such a client's browser. Browsers mark requests of pages with `Origin` and `Sec-Fetch-Site`. A request
 * without these headers comes from a program and is served.
 *
 *   Host            an IP literal, `localhost`, the bound host, or an allowed name; any other name may have
 *                   been resolved to this address by an attacker (DNS rebinding)
 *   Sec-Fetch-Site  not `cross-site`
 *   Origin          same host and port as Host; `null` never matches
 *
 * A cross-site link (a GET that navigates the whole page) to an allowed host is served, because the linking
 * page cannot read the response. `Sec-Fetch-Mode` alone is not a mark: Node's own fetch sends it.
 *
 * Known gap: over plain HTTP a browser does not mark a same-origin GET, so a page under a rebound name can
 * read. An API key closes the gap.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { DomainError } from '#platform/foundation';

export interface BrowserGateOptions {
  /** The configured listen address. */
  readonly boundHost: string;
  /** Names without ports. */
  readonly allowedHosts: readonly string[];
}

/** The parts of a request that the rule uses. */
export interface MarkedRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

const VARIABLE = 'PLEXUS_ALLOWED_HOSTS';

/** Decides which browser requests are served in open mode. */
export class BrowserGate {
  readonly #hosts: ReadonlySet<string>;

  constructor({ boundHost, allowedHosts }: BrowserGateOptions) {
    this.#hosts = new Set(['localhost', boundHost, ...allowedHosts].map((host) => host.toLowerCase()));
  }

  /** FORBIDDEN_ORIGIN when the request is rejected; undefined when it is admitted. */
  faultOf({ method, headers }: MarkedRequest): DomainError | undefined {
    const { host = '', origin, 'sec-fetch-site': site } = headers;
    if (origin === undefined && site === undefined) return undefined;
    if (!this.#isAllowed(host)) return forbidden(`expected a host listed in ${VARIABLE}`);
    if (isNavigation(method, headers)) return undefined;
    if (site === 'cross-site') return forbidden('the request comes from a page of another site');
    if (origin === undefined || isSameOrigin(origin, host)) return undefined;
    return forbidden('the request comes from a page of another origin');
  }

  /**
   * Like `faultOf`, but for every request, marked or not: rejects foreign host names and pages of another
   * origin.
   */
  rebindingFaultOf({ headers }: MarkedRequest): DomainError | undefined {
    const { host = '', origin, 'sec-fetch-site': site } = headers;
    if (!this.#isAllowed(host)) return forbidden(`expected a host listed in ${VARIABLE}`);
    const isElsewhere = site === 'cross-site' || (origin !== undefined && !isSameOrigin(origin, host));
    return isElsewhere ? forbidden('the request comes from a page of another origin') : undefined;
  }

  #isAllowed(host: string): boolean {
    const url = URL.parse(`http://${host}`);
    if (url === null || !/^[^/?#@\\]+$/.test(host)) return false;
    const name = url.hostname.replace(/^\[|\]$/g, '');
    // The URL parser turns some names into addresses (`2130706433`), so the literal is checked in the header
    // itself.
    const isLiteral = isIP(host.replace(/:\d*$/, '').replace(/^\[|\]$/g, '')) !== 0;
    return isLiteral || (isIP(name) === 0 && this.#hosts.has(name));
  }
}

function isNavigation(method: string, headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  return method === 'GET' && mode === 'navigate' && destination === 'document';
}

/**
 * A missing port means the default port of the origin's scheme: a server behind a TLS proxy does not know its
 * own.
 */
function isSameOrigin(origin: string, host: string): boolean {
  const page = URL.parse(origin);
  if (page === null || page.host === '') return false;
  return page.host === URL.parse(`${page.protocol}//${host}`)?.host;
}

function forbidden(reason: string): DomainError {
  const hint = `${VARIABLE} lists the host names accepted from browsers; a request with a key is accepted`;
  return new DomainError('FORBIDDEN_ORIGIN', `${reason}; ${hint}`);
}
