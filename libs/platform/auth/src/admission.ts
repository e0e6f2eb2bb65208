import type { FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { HttpException } from '@nestjs/common';
import { type DomainError, isLoopback, type Secret } from '#platform/foundation';
import type { Log } from '#platform/observability';
import { ApiKeyGate, type PublicMark } from './api-key-gate.ts';
import { BrowserGate, type MarkedRequest } from './browser-gate.ts';
import { PUBLIC_MARK } from './public.decorator.ts';

export type AccessMode = 'open' | 'protected';

export interface AdmissionOptions {
  /** Undefined is open mode. */
  readonly apiKey: Secret | undefined;
  /** The configured listen address. */
  readonly host: string;
  /** Host names, without ports, that browsers may use in open mode. */
  readonly allowedHosts: readonly string[];
  /** Whether pages are served without a key. */
  readonly publicPages: boolean;
  /** The earlier name of `publicPages`. */
  readonly publicDocs: boolean;
  /** Environment variable that opens the pages; the 401 to a browser mentions it. */
  readonly pagesVariable?: string;
}

/**
 * Decides which requests are admitted. The first hook of a service calls it for every request, including
 * those the router answers without hooks; the guard calls it again. With an API key the key decides, without
 * one the browser rule. Routes marked `always` are served to every page.
 */
export class Admission {
  readonly #gate: ApiKeyGate;
  readonly #browsers: BrowserGate;
  readonly #pagesVariable: string | undefined;

  constructor(options: AdmissionOptions) {
    const { apiKey, host, allowedHosts, publicPages, publicDocs } = options;
    this.#pagesVariable = options.pagesVariable;
    this.#gate = new ApiKeyGate({ apiKey, openMarks: publicPages || publicDocs ? ['docs'] : [] });
    this.#browsers = new BrowserGate({ boundHost: host, allowedHosts });
  }

  /** Whether data and pages require the key. */
  get modes(): { readonly mode: AccessMode; readonly pages: AccessMode } {
    return {
      mode: this.#gate.isOpen ? 'open' : 'protected',
      pages: this.#gate.admits(undefined, 'docs') ? 'open' : 'protected',
    };
  }

  /**
   * The reason to reject the request: {@link Unauthorized} or FORBIDDEN_ORIGIN; undefined when it is
   * admitted.
   */
  faultOf(request: FastifyRequest): Unauthorized | DomainError | undefined {
    return this.#faultOf(request, publicMarkOf(request));
  }

  /** Like `faultOf`, for a gRPC call with these headers. */
  faultOfCall(headers: IncomingHttpHeaders, mark?: PublicMark): Unauthorized | DomainError | undefined {
    return this.#faultOf({ method: 'POST', headers }, mark);
  }

  /** Whether a client of a protocol without headers is admitted with this key. */
  admitsKey(key: string | undefined): boolean {
    return this.#gate.admitsKey(key);
  }

  #faultOf(request: MarkedRequest, mark: PublicMark | undefined): Unauthorized | DomainError | undefined {
    if (!this.#gate.admits(request.headers.authorization, mark)) return this.#refusalOf(request, mark);
    return this.#gate.isOpen && mark !== 'always' ? this.#browsers.faultOf(request) : undefined;
  }

  /**
   * Rejects a request by its origin, whatever credentials it has: FORBIDDEN_ORIGIN for a host name that is
   * not this server's, and for a page of another origin.
   */
  rebindingFaultOf(request: FastifyRequest): DomainError | undefined {
    return this.#browsers.rebindingFaultOf(request);
  }

  /** A browser cannot send a key on navigation, so the message names the setting that opens the pages. */
  #refusalOf({ headers }: MarkedRequest, mark: PublicMark | undefined): Unauthorized {
    const variable = this.#pagesVariable;
    const isPage = mark === 'docs' && headers.accept?.includes('text/html') === true;
    return isPage && variable !== undefined
      ? new Unauthorized(`API key; ${variable}=on serves the pages without it; they prompt for it`)
      : new Unauthorized();
  }
}

/** The mark of the matched route; undefined when no route matched or the route has no mark. */
function publicMarkOf(request: FastifyRequest): PublicMark | undefined {
  const config: unknown = request.routeOptions.config;
  if (typeof config !== 'object' || config === null) return undefined;
  const mark: unknown = Reflect.get(config, PUBLIC_MARK);
  return typeof mark === 'string' ? mark : undefined;
}

/** Whether the matched route answers without a key, whatever the settings. */
export function isPublicRoute(request: FastifyRequest): boolean {
  return publicMarkOf(request) === 'always';
}

/**
 * Logs at startup which settings open the service. `prefix` is that of the variables, `risk` what clients can
 * do.
 */
export function warnOfAccess(
  { apiKey, host, publicDocs }: AdmissionOptions,
  log: Log,
  { prefix, risk }: { readonly prefix: string; readonly risk: string },
): void {
  if (publicDocs) {
    const names = { was: `${prefix}PUBLIC_DOCS`, now: `${prefix}PUBLIC_PAGES` };
    log.warn({ event: 'settings.renamed', ...names }, 'setting renamed');
  }
  if (apiKey === undefined && !isLoopback(host)) {
    log.warn(
      { event: 'server.open', host },
      `no API key is set: every client that can reach this address may ${risk}`,
    );
  }
}

/** 401: the credentials are missing or wrong. The body has exactly these two fields. */
export class Unauthorized extends HttpException {
  /** `what` names the required credentials. */
  constructor(what = 'API key') {
    super({ error: 'Unauthorized', message: `missing or invalid ${what}` }, 401);
  }
}
