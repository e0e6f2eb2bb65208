/** The request as sent to an upstream. Hot path: most routes change nothing in it. */
import type { Target } from '../cluster/target/target.ts';
import type { ClusterConfig, RouteConfig } from '../config/proxy-config.ts';
import { foldedName, HeaderNames } from './header-names.ts';
import type { RequestBody } from './request-body.ts';
import type { RequestHead } from './request-head.ts';
import { forwardedTarget } from './request-path.ts';

export interface Forwarded {
  readonly method: string;
  readonly head: RequestHead;
  readonly route: RouteConfig;
  readonly body: RequestBody | undefined;
  readonly isUpgrade: boolean;
  /** Added, unless the route has a rule for it. */
  readonly traceparent?: string | undefined;
}

/** The complete head. Its parts come from a strict parser: no name, value or target contains a line end. */
export function forwardedHead(
  { method, head, route, body, isUpgrade, traceparent }: Forwarded,
  target: Target,
): string {
  const given = traceparent === undefined ? head.headers : [...head.headers, 'traceparent', traceparent];
  const headers = forwardedHeaders(given, route);
  // A target that leaves its prefix was rejected before.
  let text = `${method} ${forwardedTarget(head.path, route) ?? '/'} HTTP/1.1\r\n`;
  const isHostSet = route.requestHeaders.set.some(([name]) => name === 'host');
  if (head.host === '' && !isHostSet) text += `Host: ${target.address}\r\n`;
  for (let index = 0; index < headers.length; index += 2)
    text += `${headers[index]!}: ${headers[index + 1]!}\r\n`;
  text += connectionHeaders(method, head, isUpgrade);
  if (body !== undefined) text += body.frame();
  return `${text}\r\n`;
}

/** The headers of this hop. */
function connectionHeaders(method: string, { acceptsTrailers }: RequestHead, isUpgrade: boolean): string {
  const te = acceptsTrailers ? ', TE\r\nTE: trailers' : '';
  if (isUpgrade) return `Connection: Upgrade${te}\r\nUpgrade: websocket\r\n`;
  // undici closes the connection after it.
  if (method === 'HEAD') return `Connection: close${te}\r\n`;
  return acceptsTrailers ? 'Connection: TE\r\nTE: trailers\r\n' : '';
}

/** Alternating names and values. */
function forwardedHeaders(headers: string[], route: RouteConfig): string[] {
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

/** The balancer's key: the client's address when the header is missing. */
export function balanceKey({ lbPolicy, hashKey }: ClusterConfig, head: RequestHead, client: string): string {
  if (lbPolicy !== 'ring_hash' || hashKey.source === 'ip') return client;
  const { headers } = head;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!;
    if (name.length === hashKey.header.length && foldedName(name) === foldedName(hashKey.header))
      return headers[index + 1]!;
  }
  return client;
}
