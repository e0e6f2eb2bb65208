/** Headers that identify the client to the upstream. Hot path: built for each request. */
import { foldedName } from './header-names.ts';
import type { RequestOrigin } from './http-host.ts';

export const FOR = 'x-forwarded-for';
const PROTO = 'x-forwarded-proto';
const HOST = 'x-forwarded-host';
const VIA = 'via';
/** The name in `Via` (RFC 9110, 7.6.3). */
const PSEUDONYM = 'plexus';

/**
 * Headers that upstreams are known to treat as the client's address, in addition to those that begin with
 * `x-forwarded`.
 */
const KINDS = new Set([
  'forwarded',
  'forwarded-for',
  'via',
  'x-real-ip',
  'x-client-ip',
  'client-ip',
  'true-client-ip',
  'x-cluster-client-ip',
  'x-original-forwarded-for',
  'x-forward-for',
  'x-originating-ip',
  'x-remote-ip',
  'x-remote-addr',
  'x-envoy-external-address',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'cf-pseudo-ipv4',
  'fastly-client-ip',
  'proxy-client-ip',
  'wl-proxy-client-ip',
  'x-appengine-user-ip',
  'x-azure-clientip',
  'x-azure-socketip',
  'x-proxyuser-ip',
  'x-real-port',
  'fly-client-ip',
  'remote-addr',
  'forwarded-proto',
  'front-end-https',
  'x-scheme',
  'x-ssl',
  'x-url-scheme',
]);
const PREFIX = 'x-forwarded';

/** Lengths of these names, for a first check. */
export const FORWARDING_LENGTHS: readonly number[] = Array.from(KINDS, ({ length }) => length);

/** Whether a header tells who forwarded a request; the name is in lower case. */
export function isForwarding(name: string): boolean {
  return name.startsWith(PREFIX) || KINDS.has(name);
}

/** Whether a name, in any case, may begin with that prefix. */
export function looksForwarded(name: string): boolean {
  // `x?f` in any case.
  return (
    name.length >= PREFIX.length &&
    (name.charCodeAt(0) | 0x20) === 0x78 &&
    (name.charCodeAt(2) | 0x20) === 0x66
  );
}

/** Adds the headers; existing ones come from a trusted peer. */
export function addForwarding(headers: string[], host: string, origin: RequestOrigin, version: string): void {
  if (origin.isTrusted) {
    continueForwarding(headers, host, origin, version);
    return;
  }
  headers.push('X-Forwarded-For', origin.peer, 'X-Forwarded-Proto', origin.scheme);
  if (host !== '') headers.push('X-Forwarded-Host', host);
  headers.push('Via', viaOf(version));
}

/** Keeps the values of a trusted peer, and appends the peer itself. */
function continueForwarding(headers: string[], host: string, origin: RequestOrigin, version: string): void {
  const at = { for: -1, via: -1, proto: false, host: false };
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!.toLowerCase();
    if (name === FOR) at.for = index + 1;
    else if (name === VIA) at.via = index + 1;
    else if (name === PROTO) at.proto = true;
    else if (name === HOST) at.host = true;
  }
  if (at.for === -1) headers.push('X-Forwarded-For', origin.peer);
  else headers[at.for] = `${headers[at.for]!}, ${origin.peer}`;
  if (!at.proto) headers.push('X-Forwarded-Proto', origin.scheme);
  if (!at.host && host !== '') headers.push('X-Forwarded-Host', host);
  if (at.via === -1) headers.push('Via', viaOf(version));
  else headers[at.via] = `${headers[at.via]!}, ${viaOf(version)}`;
}

function viaOf(version: string): string {
  return `${version} ${PSEUDONYM}`;
}

/** Hop-by-hop headers. Hot path for requests that have any. */
const OWN_WORDS = new Set(['close', 'keep-alive', 'upgrade', 'te', 'trailers', '']);

/** Removing these would change the meaning of the message. */
const KEPT = new Set(['host', 'content-length']);

/** The tokens of `Connection`, as folded names. */
export function connectionWords(connection: string): string[] {
  return connection.split(',').map((word) => foldedName(word.trim()));
}

/**
 * `headers` (alternating names and values) without those named by `Connection`; the same array if there are
 * none.
 */
export function withoutNamed(headers: string[], words: readonly string[]): string[] {
  const dropped = words.filter((word) => !OWN_WORDS.has(word) && !KEPT.has(word));
  if (dropped.length === 0) return headers;
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    if (!dropped.includes(foldedName(headers[index]!))) kept.push(headers[index]!, headers[index + 1]!);
  }
  return kept;
}
