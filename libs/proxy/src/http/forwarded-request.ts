/** What a route changes in a request. Hot path: most routes change nothing. */
import type { ClusterConfig, RouteConfig } from '../config/proxy-config.ts';
import { HeaderNames } from './header-names.ts';
import type { RequestHead } from './request-head.ts';

export function forwardedPath(path: string, { stripPrefix, prefix }: RouteConfig): string {
  if (!stripPrefix) return path;
  const rest = path.slice(prefix.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Names and values in turn. */
export function forwardedHeaders(headers: string[], route: RouteConfig): string[] {
  const { set, remove } = route.requestHeaders;
  if (set.length === 0 && remove.length === 0) return headers;
  const changed = changedNames(route);
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!;
    if (!changed.has(name)) kept.push(name, headers[index + 1]!);
  }
  for (const [name, value] of set) kept.push(name, value);
  return kept;
}

const changedByRoute = new WeakMap<RouteConfig, HeaderNames>();

function changedNames(route: RouteConfig): HeaderNames {
  const known = changedByRoute.get(route);
  if (known !== undefined) return known;
  const { set, remove } = route.requestHeaders;
  const names = new HeaderNames([...remove, ...set.map(([name]) => name)]);
  changedByRoute.set(route, names);
  return names;
}

/** What the cluster's balancer goes by. */
export function balanceKey({ lbPolicy, hashKey }: ClusterConfig, head: RequestHead, peer: string): string {
  if (lbPolicy !== 'ring_hash') return '';
  if (hashKey.source === 'ip') return peer;
  const { headers } = head;
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]!.toLowerCase() === hashKey.header) return headers[index + 1]!;
  }
  return '';
}
