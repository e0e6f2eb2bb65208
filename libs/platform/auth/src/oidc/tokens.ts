import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import { createHash } from 'node:crypto';
import { type Clock, type Soon, whenThere } from '#platform/foundation';
import type { Caller } from '../caller.ts';
import type { EventLog } from '../event-log.ts';
import type { GroupRoles } from './group-roles.ts';
import { isSubject, nameOfSubject } from './name-of-subject.ts';
import type { Provider, ProviderKeys } from './provider.ts';

/** Signatures by a private key only: never none, and no secret that both sides share. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const SKEW_S = 60;
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const TOKEN_CHARS_MAX = 16_384;
/** The type of access tokens by RFC 9068, and that of providers before it. */
const TYPES: readonly unknown[] = ['jwt', 'at+jwt'];
const KNOWN_MAX = 10_000;
const REPORT_MS = 60_000;

interface Checked {
  readonly caller: Caller;
  /** The keys with which it was checked. */
  readonly keys: ProviderKeys;
}

/** With which key a token is signed. */
interface Signed {
  readonly kid: string | undefined;
  readonly keys: ProviderKeys;
}

interface Holder extends Signed {
  readonly subject: string;
  readonly groups: readonly string[];
  readonly endsMs: number;
}

export interface TokensOptions {
  readonly provider: Provider;
  readonly audiences: readonly string[];
  readonly roles: GroupRoles;
  readonly clock: Clock;
}

/**
 * Access tokens of a provider, as JWT. A token is checked once; what was found holds until the token ends or
 * the provider has other keys.
 */
export class Tokens {
  readonly provider: Provider;
  readonly roles: GroupRoles;
  readonly #audiences: readonly string[];
  readonly #clock: Clock;
  /** By the hash of the token; the oldest first. */
  readonly #checked = new Map<string, Checked>();
  readonly #listeners: (() => void)[] = [];
  readonly #reportedMs = new Map<string, number>();
  #log: EventLog | undefined;

  constructor({ provider, audiences, roles, clock }: TokensOptions) {
    this.provider = provider;
    this.roles = roles;
    this.#audiences = audiences;
    this.#clock = clock;
    provider.onRotation(() => {
      this.#checked.clear();
      for (const listener of this.#listeners) listener();
    });
  }

  reportTo(log: EventLog): void {
    this.#log = log;
    this.provider.reportTo(log);
  }

  /** Calls `listener` whenever what was found of tokens may hold no longer. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Whose token it is; undefined where it is not valid or gives no role. Never rejects. */
  find(token: string): Soon<Caller | undefined> {
    if (token.length > TOKEN_CHARS_MAX || !TOKEN.test(token)) return undefined;
    const header = headerOf(token);
    if (header === undefined) return undefined;
    return whenThere(this.provider.keysFor(header.kid), (keys) => {
      if (keys === undefined) return undefined;
      const hash = createHash('sha256').update(token).digest('base64');
      const known = this.#checked.get(hash);
      if (known?.keys === keys) return known.caller.now?.();
      return this.#check(token, hash, { ...header, keys });
    });
  }

  async #check(token: string, hash: string, signed: Signed): Promise<Caller | undefined> {
    const caller = await this.#callerIn(token, signed);
    if (typeof caller === 'string') {
      this.#report(caller);
      return undefined;
    }
    if (this.#checked.size >= KNOWN_MAX)
      for (const oldest of this.#checked.keys().take(1)) this.#checked.delete(oldest);
    this.#checked.set(hash, { caller, keys: signed.keys });
    return caller;
  }

  /** Whose token it is, or why it is refused. */
  async #callerIn(token: string, { kid, keys }: Signed): Promise<Caller | string> {
    const claims = await this.#verified(token, keys);
    if (typeof claims === 'string') return claims;
    const { sub: subject, exp = 0 } = claims;
    if (!isSubject(subject)) return 'its subject is not 1 to 255 visible characters of ASCII';
    // A token that is bound to a key of its client is worth nothing without the proof of that key.
    if (claims['cnf'] !== undefined) return 'it is bound to a key of its client';
    const endsMs = (exp + SKEW_S) * 1_000;
    const holder = { subject, groups: this.roles.groupsIn(claims), endsMs, kid, keys };
    return this.#callerOf(holder) ?? 'none of its groups has a role';
  }

  async #verified(token: string, keys: ProviderKeys): Promise<JWTPayload | string> {
    try {
      const { payload } = await jwtVerify(token, keys.find, {
        issuer: this.provider.issuer,
        audience: [...this.#audiences],
        algorithms: ALGORITHMS,
        clockTolerance: SKEW_S,
        currentDate: new Date(this.#clock.nowMs()),
        requiredClaims: ['exp', 'sub'],
      });
      return payload;
    } catch (error) {
      return reasonOf(error);
    }
  }

  /** With the permissions that its groups have now. */
  #callerOf(holder: Holder): Caller | undefined {
    const { subject, groups, endsMs } = holder;
    if (this.#clock.nowMs() >= endsMs) return undefined;
    const access = this.roles.accessOf(groups);
    if (access === undefined) return undefined;
    const now = (): Caller | undefined => this.#now(holder);
    return { ...access, name: nameOfSubject(subject), source: undefined, endsMs, now };
  }

  #now(holder: Holder): Caller | undefined {
    return this.provider.stillHas(holder.kid, holder.keys) ? this.#callerOf(holder) : undefined;
  }

  /** Says at most once a minute why tokens are refused, without anything of the token. */
  #report(reason: string): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - (this.#reportedMs.get(reason) ?? -Infinity) < REPORT_MS) return;
    this.#reportedMs.set(reason, nowMs);
    this.#log?.warn({ event: 'oidc.token_refused', reason }, 'access token refused');
  }
}

/** Undefined for a token that cannot be an access token: nothing is asked of the provider for it. */
function headerOf(token: string): Pick<Signed, 'kid'> | undefined {
  try {
    const { alg, typ = 'JWT', kid }: Readonly<Record<string, unknown>> = decodeProtectedHeader(token);
    const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : undefined;
    const isFitting = ALGORITHMS.some((algorithm) => algorithm === alg) && TYPES.includes(type);
    return isFitting && (kid === undefined || typeof kid === 'string') ? { kid } : undefined;
  } catch {
    return undefined;
  }
}

/** Words of the library only, and nothing that the token says. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'it has ended';
  if (error instanceof errors.JWTClaimValidationFailed) return `its claim ${error.claim} does not fit`;
  if (error instanceof errors.JOSEError) return error.code;
  return error instanceof Error ? error.name : 'unknown';
}
