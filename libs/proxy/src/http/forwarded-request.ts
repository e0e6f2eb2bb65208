/** What a route changes in a request. Hot path: most routes change nothing. */
import type { ClusterConfig, RouteConfig } from '../config/proxy-config.ts';
import type { RequestHead } from './request-head.ts';

export function forwardedPath(path: string, { stripPrefix, prefix }: RouteConfig): string {
  if (!stripPrefix) return path;
  const rest = path.slice(prefix.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Names and values in turn. */
export function forwardedHeaders(headers: string[], { requestHeaders }: RouteConfig): string[] {
  const { set, remove } = requestHeaders;
  if (set.length === 0 && remove.length === 0) return headers;
  const changed = new Set([...remove, ...set.map(([name]) => name)]);
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!;
    if (!changed.has(name.toLowerCase())) kept.push(name, headers[index + 1]!);
  }
  for (const [name, value] of set) kept.push(name, value);
  return kept;
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
