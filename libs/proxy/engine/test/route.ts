import type { RouteConfig } from '../src/config/proxy-config.ts';

/** A route to the cluster `api`, for any host and path, with these changes. */
export function route(changes: Partial<RouteConfig> = {}): RouteConfig {
  return {
    host: '*',
    prefix: '/',
    cluster: 'api',
    redirect: undefined,
    listeners: undefined,
    timeoutMs: 15_000,
    streamTimeoutMs: 60_000,
    stripPrefix: false,
    websocket: false,
    requestHeaders: { set: [], remove: [] },
    line: 1,
    ...changes,
  };
}
