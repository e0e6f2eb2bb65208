/**
 * Open mode trusts whoever can reach the port, but not a web page from elsewhere that runs in a browser of
 * such a person. Browsers mark what pages send: `Origin`, `Sec-Fetch-Site`. A request without these marks is
 * a program's, and is served.
 *
 *   Host            an IP literal, `localhost`, the bound host, or one that is allowed by name: else the page
 *                   may have had its own name resolved to this address (DNS rebinding)
 *   Sec-Fetch-Site  not `cross-site`
 *   Origin          of the same host and port as Host; `null` is of none
 *
 * A link that somebody follows from elsewhere (a GET that is a navigation of the whole page) may come to an
 * allowed host: the page that has the link cannot read what comes. `Sec-Fetch-Mode` alone is no mark, since
 * Node's own fetch sends it.
 *
 * Known gap: over plain HTTP a browser marks no GET of a page to its own origin, so a rebound name can read.
 * A key closes it.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { DomainError } from '#platform/foundation';

export interface BrowserGateOptions {
  /** As the server was told to listen. */
  readonly boundHost: string;
  /** Names without ports. */
  readonly allowedHosts: readonly string[];
}

/** The part of a request that the rule looks at. */
export interface MarkedRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

const VARIABLE = 'PLEXUS_ALLOWED_HOSTS';

/** Which requests of browsers are served in open mode. */
export class BrowserGate {
  readonly #hosts: ReadonlySet<string>;

  constructor({ boundHost, allowedHosts }: BrowserGateOptions) {
    this.#hosts = new Set(['localhost', boundHost, ...allowedHosts].map((host) => host.toLowerCase()));
  }

  /** Why the request is refused: FORBIDDEN_ORIGIN; undefined when it may pass. */
  faultOf({ method, headers }: MarkedRequest): DomainError | undefined {
    const { host = '', origin, 'sec-fetch-site': site } = headers;
    if (origin === undefined && site === undefined) return undefined;
    if (!this.#isAllowed(host)) return forbidden(`expected a host that ${VARIABLE} names`);
    if (isNavigation(method, headers)) return undefined;
    if (site === 'cross-site') return forbidden('the request comes from a page of another site');
    if (origin === undefined || isSameOrigin(origin, host)) return undefined;
    return forbidden('the request comes from a page of another origin');
  }

  /** The same for every request, marked or not: no host under a foreign name, no page of another origin. */
  rebindingFaultOf({ headers }: MarkedRequest): DomainError | undefined {
    const { host = '', origin, 'sec-fetch-site': site } = headers;
    if (!this.#isAllowed(host)) return forbidden(`expected a host that ${VARIABLE} names`);
    const isElsewhere = site === 'cross-site' || (origin !== undefined && !isSameOrigin(origin, host));
    return isElsewhere ? forbidden('the request comes from a page of another origin') : undefined;
  }

  #isAllowed(host: string): boolean {
    const url = URL.parse(`http://${host}`);
    if (url === null || !/^[^/?#@\\]+$/.test(host)) return false;
    const name = url.hostname.replace(/^\[|\]$/g, '');
    // What a URL makes an address of may have been a name.
    const isLiteral = isIP(host.replace(/:\d*$/, '').replace(/^\[|\]$/g, '')) !== 0;
    return isLiteral || (isIP(name) === 0 && this.#hosts.has(name));
  }
}

function isNavigation(method: string, headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  return method === 'GET' && mode === 'navigate' && destination === 'document';
}

/** The port that is not written is that of the origin's scheme: a server behind TLS does not know its own. */
function isSameOrigin(origin: string, host: string): boolean {
  const page = URL.parse(origin);
  if (page === null || page.host === '') return false;
  return page.host === URL.parse(`${page.protocol}//${host}`)?.host;
}

function forbidden(reason: string): DomainError {
  const message = `${reason}; ${VARIABLE} lists host names that browsers may use, a key admits any page`;
  return new DomainError('FORBIDDEN_ORIGIN', message);
}
