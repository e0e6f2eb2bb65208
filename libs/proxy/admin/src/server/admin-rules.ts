import { isIP } from 'node:net';
import {
  ApiKeyGate,
  type Caller,
  type Keyring,
  lackOf,
  type Requirement,
  Unauthorized,
} from '#platform/auth';
import { DomainError, isLoopback } from '#platform/foundation';
import type { AdminConfig, HostPort } from '#proxy/engine';

/** The parts of a request that the rules use; headers as received. */
export interface AdminRequest {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  readonly contentType: string | undefined;
  readonly authorization: string | undefined;
  /** What the matched handler asks of its callers. */
  readonly requirement: Requirement;
}

const READS = new Set(['GET', 'HEAD']);
/** Typed by a user, or from our own page. Another port of this host counts as another site. */
const OWN_SITES = new Set(['none', 'same-origin']);

/** Access rules of `/admin/`: no page of another site in a user's browser may control the proxy. */
export class AdminRules {
  readonly #admin: AdminConfig;
  readonly #hosts: ReadonlySet<string>;
  readonly #gate: ApiKeyGate;
  readonly #isLoopback: boolean;

  /** `keys` contains the token of the configuration, if there is a keys file. */
  constructor(admin: AdminConfig, address: HostPort, keys?: Keyring) {
    this.#admin = admin;
    this.#hosts = new Set(['localhost', address.host.toLowerCase(), ...admin.allowedHosts]);
    this.#gate = new ApiKeyGate({ apiKey: admin.token, keys });
    this.#isLoopback = isLoopback(address.host);
  }

  /** How changes are authorized. */
  get changes(): 'none' | 'with_token' | 'open' {
    if (this.#admin.readOnly) return 'none';
    if (!this.#gate.isOpen) return 'with_token';
    return this.#isLoopback ? 'open' : 'none';
  }

  /** Throws FORBIDDEN, UNSUPPORTED_MEDIA_TYPE or Unauthorized for a request that is not admitted. */
  check(request: AdminRequest): void {
    this.#checkHost(request.host);
    if (!READS.has(request.method)) this.#checkChange(request);
  }

  /** Another name may have been resolved to this address by an attacker's page (DNS rebinding). */
  #checkHost(authority: string | undefined): void {
    const host = hostOf(authority ?? '');
    if (isIP(host) !== 0 || this.#hosts.has(host)) return;
    throw new DomainError(
      'FORBIDDEN',
      'Host: expected an IP address, localhost, or one of admin.allowed_hosts',
    );
  }

  #checkChange(request: AdminRequest): void {
    const { host, origin, fetchSite, contentType } = request;
    if (this.#admin.readOnly) throw new DomainError('FORBIDDEN', 'admin.read_only: nothing can be changed');
    const isOwn = fetchSite === undefined || OWN_SITES.has(fetchSite);
    if (!isOwn || (origin !== undefined && authorityOf(origin) !== host?.toLowerCase())) {
      throw new DomainError('FORBIDDEN', 'the request comes from a page of another site');
    }
    if (this.changes === 'none') {
      throw new DomainError('FORBIDDEN', 'changes from other machines need admin.token_env or --keys');
    }
    this.#checkCaller(request);
    if (!/^application\/json *(?:;|$)/i.test(contentType ?? '')) {
      throw new DomainError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type: expected application/json');
    }
  }

  /** Who shows this key; undefined for a wrong or missing one. */
  callerOf(authorization: string | undefined): Caller | undefined {
    return this.#gate.callerOf(authorization);
  }

  #checkCaller({ authorization, requirement }: AdminRequest): void {
    const caller = this.callerOf(authorization);
    if (caller === undefined) throw new Unauthorized('token');
    const lack = lackOf(caller, requirement);
    if (lack !== undefined) throw lack;
  }
}

/** The host of an authority, without port and brackets, in lower case. */
function hostOf(authority: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(authority) ?? [];
  return (bracketed ?? plain ?? '').toLowerCase();
}

/** Undefined for an origin that is not a web page, such as `null`. */
function authorityOf(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase();
}
