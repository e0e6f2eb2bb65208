/**
 * Normalizes a Host header for comparison with routes. Hot path: most headers are in lower case without a
 * trailing dot, and are not copied.
 */
const DOT = 0x2e;
const CLOSING_BRACKET = 0x5d;

/** The host in lower case, without port and trailing dot: `API.example.com.:8080` is `api.example.com`. */
export function requestHost(header: string): string {
  let end = header.length;
  const colon = header.lastIndexOf(':');
  if (colon !== -1 && isPortAt(header, colon)) end = colon;
  if (end > 1 && header.charCodeAt(end - 1) === DOT) end -= 1;
  return (end === header.length ? header : header.slice(0, end)).toLowerCase();
}

/** Whether the colon begins the port, which follows the bracket of an IPv6 address. */
function isPortAt(header: string, colon: number): boolean {
  return header.indexOf(':') === colon || header.charCodeAt(colon - 1) === CLOSING_BRACKET;
}

/** The path of a request target, without its query. */
export function requestPath(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}
