import type { FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { DomainError, isLoopback, type Secret, type Soon, whenThere } from '#platform/foundation';
import { ApiKeyGate, bearerOf, type PublicMark } from './api-key-gate.ts';
import { BrowserGate, type MarkedRequest } from './browser-gate.ts';
import {
  ANYONE,
  type Caller,
  type Forbidden,
  lackOf,
  NOBODY,
  type Requirement,
  Unauthorized,
} from './caller.ts';
import type { EventLog } from './event-log.ts';
import { Keyring } from './keyring.ts';
import type { SingleSignOn } from './oidc/open-single-sign-on.ts';
import type { SessionCookies } from './oidc/session-cookies.ts';
import type { Tokens } from './oidc/tokens.ts';
import { type Followed, OpenCallers } from './open-callers.ts';
import { PUBLIC_MARK } from './public.decorator.ts';
import { requirementIn } from './requires.decorator.ts';
import { routeMarkOf } from './route-mark.ts';

export type AccessMode = 'open' | 'protected';

export interface AdmissionOptions {
  /** The single key. Undefined is open mode, unless there are `keys`. */
  readonly apiKey: Secret | undefined;
  /** The single key and those of a file. */
  readonly keys?: Keyring | undefined;
  /** Tokens and sessions by a provider of identities, if there is one. */
  readonly signOn?: SingleSignOn | undefined;
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

/** A call of a protocol other than HTTP, with the mark and the requirement of its method. */
export interface ArrivedCall {
  readonly headers: IncomingHttpHeaders;
  readonly mark?: PublicMark | undefined;
  /** Undefined where there is no such method. */
  readonly requirement: Requirement | undefined;
}

/** Why a request is rejected. */
export type Refusal = Unauthorized | Forbidden | DomainError;

/** The caller of a request, or the reason to reject it. */
export type Decision =
  | { readonly caller: Caller; readonly fault?: undefined }
  | { readonly caller: Caller | undefined; readonly fault: Refusal };

/**
 * Decides which requests are admitted. The first hook of a service calls it for every request, including
 * those the router answers without hooks; the guard calls it again. With keys, the key decides who the caller
 * is, and the requirement of the matched handler whether that caller may use it; without keys, the browser
 * rule. Routes marked `always` are served to every page.
 */
export class Admission {
  readonly #gate: ApiKeyGate;
  readonly #browsers: BrowserGate;
  readonly #open: OpenCallers;
  readonly #tokens: Tokens | undefined;
  readonly #cookies: SessionCookies | undefined;
  readonly #pagesVariable: string | undefined;

  constructor(options: AdmissionOptions) {
    const { apiKey, signOn, host, allowedHosts, publicPages, publicDocs } = options;
    const keys = options.keys ?? new Keyring({ apiKey });
    this.#open = new OpenCallers(keys);
    this.#tokens = signOn?.tokens;
    this.#cookies = signOn?.pages?.cookies;
    for (const proved of [this.#tokens, this.#cookies]) proved?.onChange(() => this.#open.lookAgain());
    this.#pagesVariable = options.pagesVariable;
    // A page has to be there before anybody can sign in on it.
    const isPublic = publicPages || publicDocs || this.#cookies !== undefined;
    const openMarks = isPublic ? ['docs'] : [];
    this.#gate = new ApiKeyGate({ apiKey, keys, openMarks, hasOthers: signOn !== undefined });
    const publicHost = signOn?.address.hostname ?? [];
    this.#browsers = new BrowserGate({ boundHost: host, allowedHosts: allowedHosts.concat(publicHost) });
  }

  /** Whether data and pages require the key. */
  get modes(): { readonly mode: AccessMode; readonly pages: AccessMode } {
    return {
      mode: this.#gate.isOpen ? 'open' : 'protected',
      pages: this.#gate.admits(undefined, 'docs') ? 'open' : 'protected',
    };
  }

  /**
   * The reason to reject the request: {@link Unauthorized}, {@link Forbidden}, FORBIDDEN_ORIGIN, or
   * STORE_UNAVAILABLE while it is not known whose session it is; undefined when it is admitted. A promise
   * only for a token or a session that has to be checked.
   */
  faultOf(request: FastifyRequest): Soon<Refusal | undefined> {
    const mark = publicMarkOf(request);
    const arrived = { method: request.method, headers: request.headers, mark };
    const decision = this.#decide({ ...arrived, requirement: routeRequirement(request) }, () =>
      this.#callerOfRequest(request),
    );
    return whenThere(decision, ({ fault, caller }) => {
      if (caller !== undefined) callers.set(request, caller);
      return fault;
    });
  }

  /** Like `faultOf`, for a call of another protocol; also says who calls. */
  decide({ headers, mark, requirement }: ArrivedCall): Soon<Decision> {
    return this.#decide({ method: 'POST', headers, mark, requirement }, () =>
      this.callerOfKey(bearerOf(headers.authorization)),
    );
  }

  /** Who has this key or token, for a protocol without headers; undefined for nobody that is known. */
  callerOfKey(key: string | undefined): Soon<Caller | undefined> {
    const caller = this.#gate.callerOfKey(key);
    return caller !== undefined || key === undefined ? caller : this.#tokens?.find(key);
  }

  /** What a caller of an open connection is by now; undefined when its key is no longer valid. */
  current(caller: Caller): Caller | undefined {
    return this.#gate.current(caller);
  }

  /**
   * Calls `end` once what was admitted may go on no longer: the key has ended, or its role lacks what is
   * required. Returns the function that ends the watch.
   */
  follow(followed: Followed, end: (fault: Refusal) => void): () => void {
    return this.#open.follow(followed, end);
  }

  /** The same for a request that was admitted. */
  followRequest(request: FastifyRequest, end: () => void): () => void {
    return this.follow({ caller: callerOf(request), requirement: routeRequirement(request) }, end);
  }

  /** A cookie counts where nothing else is shown. */
  #callerOfRequest(request: FastifyRequest): Soon<Caller | undefined> {
    const { authorization } = request.headers;
    return authorization === undefined
      ? this.#cookies?.callerOf(request)
      : this.callerOfKey(bearerOf(authorization));
  }

  /** `requirement` is undefined where no handler was found. */
  #decide(
    request: MarkedRequest & Pick<ArrivedCall, 'mark' | 'requirement'>,
    find: () => Soon<Caller | undefined>,
  ): Soon<Decision> {
    const { mark, requirement } = request;
    if (this.#gate.isOpen) {
      const fault = mark === 'always' ? undefined : this.#browsers.faultOf(request);
      return fault === undefined ? { caller: ANYONE } : { caller: ANYONE, fault };
    }
    if (this.#gate.opens(mark)) return { caller: NOBODY };
    const decision = whenThere<Caller | undefined, Decision>(find(), (caller) => {
      if (caller === undefined) return { caller, fault: this.#refusalOf(request, mark) };
      const fault = requirement === undefined ? undefined : lackOf(caller, requirement);
      return fault === undefined ? { caller } : { caller, fault };
    });
    return decision instanceof Promise ? decision.catch(undecided) : decision;
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

/** Not known, and so not refused as unknown. A client without a key does not learn what is wrong. */
function undecided(error: unknown): Decision {
  if (!(error instanceof DomainError)) throw error;
  const fault = new DomainError('STORE_UNAVAILABLE', 'sessions cannot be looked up now', { cause: error });
  return { caller: undefined, fault };
}

const callers = new WeakMap<FastifyRequest, Caller>();

/** Who sends the request, as the first hook has found. Without it, nobody, who may do nothing. */
export function callerOf(request: FastifyRequest): Caller {
  return callers.get(request) ?? NOBODY;
}

/** Whether the first hook knows who sends the request, also where that needs no key. */
export function isOfKnownCaller(request: FastifyRequest): boolean {
  return callers.has(request);
}

/** The mark of the matched route; undefined when no route matched or the route has no mark. */
function publicMarkOf(request: FastifyRequest): PublicMark | undefined {
  const mark = routeMarkOf(request, PUBLIC_MARK);
  return typeof mark === 'string' ? mark : undefined;
}

/** Undefined where no route matched: the answer is 404 or 405 for every caller. */
function routeRequirement(request: FastifyRequest): Requirement | undefined {
  const { is404, routeOptions } = request;
  return is404 || routeOptions.url === undefined ? undefined : requirementIn(routeOptions.config);
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
  { apiKey, keys, signOn, host, publicDocs }: AdmissionOptions,
  log: EventLog,
  { prefix, risk }: { readonly prefix: string; readonly risk: string },
): void {
  if (publicDocs) {
    const names = { was: `${prefix}PUBLIC_DOCS`, now: `${prefix}PUBLIC_PAGES` };
    log.warn({ event: 'settings.renamed', ...names }, 'setting renamed');
  }
  const isOpen = apiKey === undefined && keys === undefined && signOn === undefined;
  if (isOpen && !isLoopback(host)) {
    log.warn(
      { event: 'server.open', host },
      `no API key is set: every client that can reach this address may ${risk}`,
    );
  }
}
