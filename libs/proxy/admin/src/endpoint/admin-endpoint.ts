export type AdminMethod = 'GET' | 'POST' | 'DELETE';

/** An endpoint of the admin server. */
export interface AdminEndpoint {
  readonly method: AdminMethod;
  /** A path, or a template: a segment `{name}` matches any one segment. */
  readonly path: string;
  /** A phrase for lists of endpoints. */
  readonly description: string;
}

/** The four specified endpoints, which are always enabled. */
export const SPECIFIED_ENDPOINTS = [
  { method: 'GET', path: '/stats', description: 'metrics in the Prometheus text format' },
  { method: 'GET', path: '/clusters', description: 'clusters with their endpoints and health' },
  { method: 'GET', path: '/config', description: 'number of listeners, clusters and routes' },
  { method: 'GET', path: '/ready', description: 'LIVE while the proxy accepts traffic' },
] as const satisfies readonly AdminEndpoint[];

/** The endpoints enabled by `admin.extensions: true`. */
export const EXTENSION_ENDPOINTS = [
  { method: 'GET', path: '/admin/ui', description: 'page with the live state of the proxy' },
  { method: 'GET', path: '/admin/assets/{name}', description: 'files of this page' },
  {
    method: 'GET',
    path: '/admin/v1/about',
    description: 'name of this proxy, and whether changes are accepted',
  },
  { method: 'GET', path: '/admin/v1/openapi.json', description: 'these endpoints as an OpenAPI document' },
  { method: 'GET', path: '/admin/v1/live', description: 'OK while the process is responsive' },
  { method: 'GET', path: '/admin/v1/clusters', description: 'listeners, clusters and endpoints in detail' },
  { method: 'GET', path: '/admin/v1/events', description: 'changes as they happen, as server-sent events' },
  {
    method: 'GET',
    path: '/admin/v1/explain',
    description: 'route and endpoint for a request with ?host=&path=',
  },
  { method: 'POST', path: '/admin/v1/reload', description: 'reload the configuration' },
  { method: 'POST', path: '/admin/v1/drain', description: 'complete requests in progress, then exit' },
  {
    method: 'POST',
    path: '/admin/v1/endpoints/{cluster}/{address}',
    description: 'enable an endpoint',
  },
  {
    method: 'DELETE',
    path: '/admin/v1/endpoints/{cluster}/{address}',
    description: 'disable an endpoint',
  },
] as const satisfies readonly AdminEndpoint[];
