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
  /** As the server was told to listen. */
  readonly host: string;
  /** Names, without ports, under which browsers may use the service in open mode. */
  readonly allowedHosts: readonly string[];
  /** Whether pages need no key. */
  readonly publicPages: boolean;
  /** The earlier name of `publicPages`. */
  readonly publicDocs: boolean;
  /** The variable that opens the pages, named to a browser that asks for one without a key. */
  readonly pagesVariable?: string;
}

/**
 * Tells which requests may pass: the first hook of a service asks it, also where the router answers without
 * hooks, and the guard asks it again. With a key the key decides; without, the rule for browsers. What is
 * always public is served to every page.
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

  /** Whether data and pages need the key. */
  get modes(): { readonly mode: AccessMode; readonly pages: AccessMode } {
    return {
      mode: this.#gate.isOpen ? 'open' : 'protected',
      pages: this.#gate.admits(undefined, 'docs') ? 'open' : 'protected',
    };
  }

  /** Why the request is refused: {@link Unauthorized} or FORBIDDEN_ORIGIN; undefined when it may pass. */
  faultOf(request: FastifyRequest): Unauthorized | DomainError | undefined {
    return this.#faultOf(request, publicMarkOf(request));
  }

  /** The same of a gRPC call, by the headers that it came with. */
  faultOfCall(headers: IncomingHttpHeaders, mark?: PublicMark): Unauthorized | DomainError | undefined {
    return this.#faultOf({ method: 'POST', headers }, mark);
  }

  #faultOf(request: MarkedRequest, mark: PublicMark | undefined): Unauthorized | DomainError | undefined {
    if (!this.#gate.admits(request.headers.authorization, mark)) return this.#refusalOf(request, mark);
    return this.#gate.isOpen && mark !== 'always' ? this.#browsers.faultOf(request) : undefined;
  }

  /**
   * Why a request may not come from where it does, whatever it shows: FORBIDDEN_ORIGIN for a host name that
   * is not this server's, and for a page of another origin.
   */
  rebindingFaultOf(request: FastifyRequest): DomainError | undefined {
    return this.#browsers.rebindingFaultOf(request);
  }

  /** A person who opens a page in a browser cannot send a key, and is told what would help. */
  #refusalOf({ headers }: MarkedRequest, mark: PublicMark | undefined): Unauthorized {
    const variable = this.#pagesVariable;
    const isPage = mark === 'docs' && headers.accept?.includes('text/html') === true;
    return isPage && variable !== undefined
      ? new Unauthorized(`API key; ${variable}=on opens the pages, which ask for it`)
      : new Unauthorized();
  }
}

/** The mark of the matched route; undefined when it has none, or when nothing was matched. */
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

/** Says at the start what lets others in. `prefix`: of the variables; `risk`: what others can do. */
export function warnOfAccess(
  { apiKey, host, publicDocs }: AdmissionOptions,
  log: Log,
  { prefix, risk }: { readonly prefix: string; readonly risk: string },
): void {
  if (publicDocs) {
    const names = { was: `${prefix}PUBLIC_DOCS`, now: `${prefix}PUBLIC_PAGES` };
    log.warn({ event: 'settings.renamed', ...names }, 'the setting has another name');
  }
  if (apiKey === undefined && !isLoopback(host)) {
    log.warn({ event: 'server.open', host }, `no API key is set: whoever reaches this address may ${risk}`);
  }
}

/** 401: what a request must show is missing or another. Its body has these two fields and no other. */
export class Unauthorized extends HttpException {
  /** `what` must be shown. */
  constructor(what = 'API key') {
    super({ error: 'Unauthorized', message: `missing or invalid ${what}` }, 401);
  }
}
