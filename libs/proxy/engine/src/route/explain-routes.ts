import type { RouteConfig } from '../config/proxy-config.ts';
import type { RouteVerdict } from '../source/explanation.ts';
import { requestHost, requestPath } from './request-host.ts';
import { isOn } from './route-table.ts';

/** A request to explain, by listener, Host header and path. */
export interface RoutedRequest {
  readonly listener: string;
  readonly host: string;
  readonly path: string;
}

/**
 * The result of each route for a request, in order of precedence. It is computed directly from the rules,
 * route by route, not from the tables that requests use.
 */
export function explainRoutes(
  routes: readonly RouteConfig[],
  request: RoutedRequest,
): readonly RouteVerdict[] {
  const ordered = Array.from(routes.entries()).sort(byPrecedence);
  const taker = ordered.find(([, route]) => mismatch(route, request) === undefined);
  return ordered.map((entry) => {
    const [index, route] = entry;
    const { line, host, prefix } = route;
    const takes = entry === taker;
    const reason = mismatch(route, request) ?? (takes ? 'matches' : `route ${taker?.[0] ?? 0} comes first`);
    return { index, line, host, prefix, takes, reason };
  });
}

type IndexedRoute = readonly [index: number, route: RouteConfig];

function byPrecedence([indexA, a]: IndexedRoute, [indexB, b]: IndexedRoute): number {
  return (
    hostRank(b.host) - hostRank(a.host) ||
    b.host.length - a.host.length ||
    b.prefix.length - a.prefix.length ||
    indexA - indexB
  );
}

function hostRank(host: string): number {
  if (host === '*') return 0;
  return host.startsWith('*.') ? 1 : 2;
}

/** Why a route does not match; undefined when it does. */
function mismatch(route: RouteConfig, { listener, host, path }: RoutedRequest): string | undefined {
  if (!isOn(route, listener)) return `not on the listener ${listener}`;
  if (!isHostOf(route.host, requestHost(host))) return 'for another host';
  return requestPath(path).startsWith(route.prefix) ? undefined : 'the path does not begin with its prefix';
}

function isHostOf(pattern: string, name: string): boolean {
  if (pattern === '*') return true;
  if (!pattern.startsWith('*.')) return pattern === name;
  return name.length > pattern.length - 1 && name.endsWith(pattern.slice(1));
}
