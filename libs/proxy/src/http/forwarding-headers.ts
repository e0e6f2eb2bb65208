/** Who the client is, for the upstream. Hot path: they are made for each request. */
import type { RequestOrigin } from './request-origin.ts';

const FOR = 'x-forwarded-for';
const PROTO = 'x-forwarded-proto';
const HOST = 'x-forwarded-host';

/** A name in lower case; `_` is the same as `-` to whoever reads headers as CGI does. */
export function isForwarding(name: string): boolean {
  if (name === 'forwarded') return true;
  if (name.charCodeAt(0) !== 0x78 || name.length < FOR.length) return false;
  const dashed = name.includes('_') ? name.replaceAll('_', '-') : name;
  return dashed === FOR || dashed === PROTO || dashed === HOST;
}

/** Adds them to headers that have none but those of a trusted peer. */
export function addForwarding(headers: string[], host: string, origin: RequestOrigin): void {
  if (origin.isTrusted) {
    continueForwarding(headers, host, origin);
    return;
  }
  headers.push('X-Forwarded-For', origin.peer, 'X-Forwarded-Proto', origin.scheme);
  if (host !== '') headers.push('X-Forwarded-Host', host);
}

/** What a trusted peer said stays, and the peer itself is added. */
function continueForwarding(headers: string[], host: string, origin: RequestOrigin): void {
  let forAt = -1;
  let hasProto = false;
  let hasHost = false;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!.toLowerCase();
    if (name === FOR) forAt = index + 1;
    else if (name === PROTO) hasProto = true;
    else if (name === HOST) hasHost = true;
  }
  if (forAt === -1) headers.push('X-Forwarded-For', origin.peer);
  else headers[forAt] = `${headers[forAt]!}, ${origin.peer}`;
  if (!hasProto) headers.push('X-Forwarded-Proto', origin.scheme);
  if (!hasHost && host !== '') headers.push('X-Forwarded-Host', host);
}
