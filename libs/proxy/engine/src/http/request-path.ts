/**
 * Paths that a proxy and an upstream may read differently: a route is chosen by the raw path, and an upstream
 * may decode it, resolve its dot segments or join its slashes.
 */
import type { RouteConfig } from '../config/proxy-config.ts';
import { requestPath } from '../route/request-host.ts';

const ESCAPES = /%(.{0,2})/gs;
const HEX = /^[0-9a-f]{2}$/i;
const UNRESERVED = /^[A-Za-z0-9._~-]$/;
const BACKSLASH = 0x5c;
const ESCAPED_SEPARATORS = ['\0', '/', '\\'];
/** `..;a` is a dot segment for servers with path parameters. */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}(?:;.*)?$/is;
const PARENT_SEGMENT = /^(?:\.|%2e){2}(?:;.*)?$/is;
const SEPARATOR = /[/\\]|%2f|%5c/i;

/** Why a target is ambiguous; undefined when it is not. The query does not count. */
export function pathFault(target: string): string | undefined {
  const path = requestPath(target);
  if (path.includes('//')) return 'an empty segment in the path';
  if (path.includes('\\')) return 'a backslash in the path';
  if (path.split('/').some((segment) => DOT_SEGMENT.test(segment))) return 'a dot segment in the path';
  for (const [, digits = ''] of path.matchAll(ESCAPES)) {
    if (!HEX.test(digits)) return 'an invalid escape in the path';
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    if (ESCAPED_SEPARATORS.includes(character)) return 'an escaped separator in the path';
    if (UNRESERVED.test(character)) return 'a needless escape in the path';
  }
  return undefined;
}

/** The target to forward; undefined when it would leave the prefix that its route strips. */
export function forwardedTarget(target: string, { stripPrefix, prefix }: RouteConfig): string | undefined {
  if (!stripPrefix) return target;
  let start = prefix.length;
  while (isSlash(target.charCodeAt(start))) start += 1;
  const stripped = `/${target.slice(start)}`;
  return leavesRoot(requestPath(stripped)) ? undefined : stripped;
}

function isSlash(code: number): boolean {
  return code === 0x2f || code === BACKSLASH;
}

/** Whether it has more `..` than segments before them, for an upstream that decodes it. */
function leavesRoot(path: string): boolean {
  if (!path.includes('.') && !path.includes('%')) return false;
  let depth = 0;
  for (const segment of path.split(SEPARATOR)) {
    if (PARENT_SEGMENT.test(segment)) depth -= 1;
    else if (segment !== '' && !DOT_SEGMENT.test(segment)) depth += 1;
    if (depth < 0) return true;
  }
  return false;
}
