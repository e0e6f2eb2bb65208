import { createLocalJWKSet, type JSONWebKeySet, type LocalJWKSet } from 'jose';
import { type Clock, DomainError, errorCodeOf, isLoopback, type Soon } from '#platform/foundation';
import type { EventLog } from '../event-log.ts';

/** The public keys of a provider, as it has published them. */
export class ProviderKeys {
  readonly find: LocalJWKSet;
  /** The text of all keys. */
  readonly #text: string;
  readonly #textById: ReadonlyMap<string | undefined, string>;

  /** Throws where these are no keys. */
  constructor(document: JSONWebKeySet) {
    this.find = createLocalJWKSet(document);
    this.#text = JSON.stringify(document);
    this.#textById = new Map(document.keys.map((key) => [key.kid, JSON.stringify(key)]));
  }

  /** Whether one of the keys may be that of a token; a token may name no key. */
  knows(kid: string | undefined): boolean {
    return kid === undefined || this.#textById.has(kid);
  }

  /** Whether a token that these keys have verified is still one by those. */
  agreeOn(kid: string | undefined, other: ProviderKeys | undefined): boolean {
    if (other === undefined) return false;
    return kid === undefined
      ? this.#text === other.#text
      : this.#textById.get(kid) === other.#textById.get(kid);
  }
}

/** What the provider says of itself; further members are for the sign-in of pages. */
export interface ProviderMetadata {
  readonly issuer: string;
  readonly jwks_uri: string;
  readonly [member: string]: unknown;
}

/** Where a document of the provider could not be had, or is not what it should be. */
class ProviderFault extends Error {}

const TIMEOUT_MS = 5_000;
const BYTES_MAX = 2 ** 20;
/** The provider is asked at most so often, whatever tokens arrive. */
const ASK_MS = 60_000;
/** Keys are fetched again after this time, so that a withdrawn one ends. */
const FRESH_MS = 600_000;

export interface ProviderOptions {
  readonly issuer: string;
  readonly clock: Clock;
}

/**
 * A provider of OpenID Connect. Its keys are fetched when a token needs them. While it cannot be reached, the
 * last ones stay in force.
 */
export class Provider {
  readonly issuer: string;
  readonly #clock: Clock;
  readonly #listeners: (() => void)[] = [];
  #log: EventLog | undefined;
  #metadata: ProviderMetadata | undefined;
  #keys: ProviderKeys | undefined;
  #freshUntilMs = -Infinity;
  #askedMs = -Infinity;
  #asking: Promise<void> | undefined;
  #fault: string | undefined;

  /** Throws INVALID_CONFIG for an issuer that is no URL of https, or of http on this machine. */
  constructor({ issuer, clock }: ProviderOptions) {
    const url = URL.parse(issuer);
    if (url === null || !isSafe(url) || url.search !== '' || url.hash !== '' || url.username !== '')
      throw new DomainError(
        'INVALID_CONFIG',
        'PLEXUS_OIDC_ISSUER: expected the URL of the issuer with https, or with http on this machine',
      );
    this.issuer = issuer;
    this.#clock = clock;
  }

  /** Reports faults of the provider to this log. */
  reportTo(log: EventLog): void {
    this.#log = log;
  }

  /** Calls `listener` whenever the provider has other keys than before. */
  onRotation(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The keys for a token with this key id; undefined while none were ever fetched. */
  keysFor(kid: string | undefined): Soon<ProviderKeys | undefined> {
    const nowMs = this.#clock.monotonicMs();
    const keys = this.#keys;
    if (keys?.knows(kid) === true && nowMs < this.#freshUntilMs) return keys;
    if (this.#asking === undefined && nowMs - this.#askedMs < ASK_MS) return keys;
    return this.#ask().then(() => this.#keys);
  }

  /** Whether these keys still verify a token with this key id. */
  stillHas(kid: string | undefined, keys: ProviderKeys): boolean {
    return keys.agreeOn(kid, this.#keys);
  }

  /** What the provider says of itself, asked for again; undefined while it cannot be reached. */
  async metadata(): Promise<ProviderMetadata | undefined> {
    await this.#ask();
    return this.#fault === undefined ? this.#metadata : undefined;
  }

  /** One request at a time. Never rejects. */
  #ask(): Promise<void> {
    this.#asking ??= this.#fetch().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #fetch(): Promise<void> {
    this.#askedMs = this.#clock.monotonicMs();
    try {
      const metadata = await this.#discover();
      const keys = keysIn(await readJson(checkedUrl(metadata.jwks_uri)));
      this.#metadata = metadata;
      this.#fault = undefined;
      this.#freshUntilMs = this.#clock.monotonicMs() + FRESH_MS;
      if (keys.agreeOn(undefined, this.#keys)) return;
      this.#keys = keys;
      for (const listener of this.#listeners) listener();
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      this.#report(error.message);
    }
  }

  async #discover(): Promise<ProviderMetadata> {
    const base = this.issuer.replace(/\/$/, '');
    const document = await readJson(new URL(`${base}/.well-known/openid-configuration`));
    if (!isMetadata(document)) throw new ProviderFault('its metadata have no issuer or no jwks_uri');
    if (document.issuer !== this.issuer)
      throw new ProviderFault('its metadata name another issuer than PLEXUS_OIDC_ISSUER');
    return document;
  }

  #report(reason: string): void {
    if (reason !== this.#fault)
      this.#log?.warn(
        { event: 'oidc.provider_failed', issuer: this.issuer, reason },
        'the provider of identities gave no keys: the last ones stay in force',
      );
    this.#fault = reason;
  }
}

/** Whether what is read from there comes from who it should. */
function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, '')));
}

function checkedUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !isSafe(url)) throw new ProviderFault('its jwks_uri is no URL of https');
  return url;
}

function isMetadata(document: unknown): document is ProviderMetadata {
  if (typeof document !== 'object' || document === null) return false;
  return (
    typeof Reflect.get(document, 'issuer') === 'string' &&
    typeof Reflect.get(document, 'jwks_uri') === 'string'
  );
}

function keysIn(document: unknown): ProviderKeys {
  try {
    return new ProviderKeys(document as JSONWebKeySet);
  } catch (cause) {
    throw new ProviderFault('its jwks_uri has no JSON Web Key Set', { cause });
  }
}

/** Throws {@link ProviderFault}. No redirection is followed. */
async function readJson(url: URL): Promise<unknown> {
  try {
    const reply = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { Accept: 'application/json' },
    });
    if (!reply.ok || reply.body === null) throw new ProviderFault(`it answers ${reply.status}`);
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of reply.body as AsyncIterable<Uint8Array>) {
      length += part.length;
      if (length > BYTES_MAX) throw new ProviderFault(`it answers with more than ${BYTES_MAX} bytes`);
      parts.push(part);
    }
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch (error) {
    if (error instanceof ProviderFault) throw error;
    if (error instanceof SyntaxError) throw new ProviderFault('it answers with no JSON', { cause: error });
    throw new ProviderFault(`it cannot be reached: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return errorCodeOf(cause) ?? errorCodeOf(error) ?? (error instanceof Error ? error.name : 'unknown');
}
