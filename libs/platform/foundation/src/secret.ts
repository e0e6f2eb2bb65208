import { timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

const REDACTED = '[redacted]';

/** Holds a secret text so that no log, error or body prints it by accident. */
export class Secret {
  readonly #bytes: Buffer;

  constructor(text: string) {
    this.#bytes = Buffer.from(text, 'utf8');
  }

  /** Constant time for equal lengths; different lengths fail at once. */
  equals(candidate: string): boolean {
    const bytes = Buffer.from(candidate, 'utf8');
    return bytes.length === this.#bytes.length && timingSafeEqual(bytes, this.#bytes);
  }

  /** The text itself, for the one caller that must send it. */
  reveal(): string {
    return this.#bytes.toString('utf8');
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}

/**
 * The secret parts of a URL: user and password, query values, and path segments that are keys. Providers put
 * the key into the path (`/v3/<key>`): a segment is treated as a key when it is long and has a digit, when it
 * is not short and the host belongs to such a provider, or when it follows a version.
 */
const MASK = '***';
const KEY_SEGMENT = /^(?=.*\d)[A-Za-z0-9_~.-]{16,}$|^[A-Za-z0-9]{24,}$/;
/** A segment after which the others may be keys. */
const VERSION_SEGMENT = /^v\d{1,2}$/i;
const PROVIDER_SEGMENT = /^[A-Za-z0-9_-]{8,}$/;
const PROVIDERS =
  /(?:^|\.)(?:infura\.io|alchemy\.com|alchemyapi\.io|quiknode\.pro|quicknode\.com|ankr\.com|blastapi\.io|getblock\.(?:io|us)|chainstack\.com|p2pify\.com|drpc\.org|nodereal\.io|tenderly\.co|pokt\.network|grove\.city|onfinality\.io|moralis(?:-nodes)?\.(?:io|com)|chainnodes\.org|dwellir\.com|validationcloud\.io)$/i;
/** Shorter texts are words that occur elsewhere too. */
const SECRET_CHARACTERS_MIN = 4;

/**
 * The URL with its secrets masked. A URL without secrets, and a text that is no URL, is returned unchanged.
 */
export function redactedUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || secretParts(url).length === 0) return text;
  const path = url.pathname
    .split('/')
    .map((segment, at, all) => (isKey(segment, url.hostname) || isVersioned(all, at) ? MASK : segment))
    .join('/');
  const names = [...url.searchParams].map(([name, value]) => (value === '' ? MASK : `${name}=${MASK}`));
  return `${url.protocol}//${url.host}${path}${names.length === 0 ? '' : `?${names.join('&')}`}`;
}

/** The secrets of a URL in each spelling: raw and decoded. */
export function urlSecrets(text: string): readonly string[] {
  const url = URL.parse(text);
  if (url === null) return [];
  const parts = secretParts(url).flatMap((part) => [part, decoded(part)]);
  return [...new Set(parts)].filter((part) => part.length >= SECRET_CHARACTERS_MIN);
}

/** The text with all secrets masked, the longest first. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const byLength = secrets.toSorted((a, b) => b.length - a.length);
  return byLength.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, MASK)), text);
}

function secretParts({ username, password, pathname, hostname, searchParams }: URL): readonly string[] {
  const keys = pathname
    .split('/')
    .filter((segment, at, all) => isKey(segment, hostname) || isVersioned(all, at));
  const values = [...searchParams].flatMap(([name, value]) => (value === '' ? name : value));
  return [username, password, ...keys, ...values].filter((part) => part !== '');
}

function isKey(segment: string, hostname: string): boolean {
  return KEY_SEGMENT.test(segment) || (PROVIDERS.test(hostname) && PROVIDER_SEGMENT.test(segment));
}

/** Whether the segment follows a version. Versions themselves are no keys. */
function isVersioned(segments: readonly string[], at: number): boolean {
  const segment = segments[at] ?? '';
  if (segment === '' || VERSION_SEGMENT.test(segment)) return false;
  return segments.slice(0, at).some((earlier) => VERSION_SEGMENT.test(earlier));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}
