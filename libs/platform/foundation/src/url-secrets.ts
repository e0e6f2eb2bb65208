/**
 * What of a URL is a secret: user and password, the values of its query, and segments of its path that are
 * keys. Providers put the key into the path (`/v3/<key>`): a segment counts as one when it is long and has a
 * digit, or when it is not short and the host is that of such a provider.
 */
const MASK = '***';
const KEY_SEGMENT = /^(?=.*\d)[A-Za-z0-9_~.-]{16,}$|^[A-Za-z0-9]{24,}$/;
const PROVIDER_SEGMENT = /^[A-Za-z0-9_-]{8,}$/;
const PROVIDERS =
  /(?:^|\.)(?:infura\.io|alchemy\.com|alchemyapi\.io|quiknode\.pro|quicknode\.com|ankr\.com|blastapi\.io|getblock\.(?:io|us)|chainstack\.com|p2pify\.com|drpc\.org|nodereal\.io|tenderly\.co|pokt\.network|grove\.city|onfinality\.io|moralis(?:-nodes)?\.(?:io|com)|chainnodes\.org|dwellir\.com|validationcloud\.io)$/i;
/** Shorter ones are words that stand in other texts too. */
const SECRET_CHARACTERS_MIN = 4;

/** The URL without its secrets; one without any, and what is no URL, as it is. */
export function redactedUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || secretParts(url).length === 0) return text;
  const path = url.pathname
    .split('/')
    .map((segment) => (isKey(segment, url.hostname) ? MASK : segment))
    .join('/');
  const names = [...url.searchParams].map(([name, value]) => (value === '' ? MASK : `${name}=${MASK}`));
  return `${url.protocol}//${url.host}${path}${names.length === 0 ? '' : `?${names.join('&')}`}`;
}

/** The secrets of a URL as they may stand in a text: as they are written, and decoded. */
export function urlSecrets(text: string): readonly string[] {
  const url = URL.parse(text);
  if (url === null) return [];
  const parts = secretParts(url).flatMap((part) => [part, decoded(part)]);
  return [...new Set(parts)].filter((part) => part.length >= SECRET_CHARACTERS_MIN);
}

/** A text in which none of the secrets stands, the longest taken out first. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const byLength = secrets.toSorted((a, b) => b.length - a.length);
  return byLength.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, MASK)), text);
}

function secretParts({ username, password, pathname, hostname, searchParams }: URL): readonly string[] {
  const keys = pathname.split('/').filter((segment) => isKey(segment, hostname));
  const values = [...searchParams].flatMap(([name, value]) => (value === '' ? name : value));
  return [username, password, ...keys, ...values].filter((part) => part !== '');
}

function isKey(segment: string, hostname: string): boolean {
  return KEY_SEGMENT.test(segment) || (PROVIDERS.test(hostname) && PROVIDER_SEGMENT.test(segment));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}
