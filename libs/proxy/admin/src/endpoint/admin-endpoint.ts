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
  { method: 'GET', path: '/ready', description: 'LIVE while the proxy takes traffic' },
] as const satisfies readonly AdminEndpoint[];

/** The endpoints enabled by `admin.extensions: true`. */
export const EXTENSION_ENDPOINTS = [
  { method: 'GET', path: '/admin/ui', description: 'a page that shows the proxy at work' },
  { method: 'GET', path: '/admin/assets/{name}', description: 'the parts of that page' },
  {
    method: 'GET',
    path: '/admin/v1/about',
    description: 'the name of this proxy, and whether it takes changes',
  },
  { method: 'GET', path: '/admin/v1/openapi.json', description: 'these endpoints as an OpenAPI document' },
  { method: 'GET', path: '/admin/v1/live', description: 'OK while the process is responsive' },
  { method: 'GET', path: '/admin/v1/clusters', description: 'listeners, clusters and endpoints in detail' },
  { method: 'GET', path: '/admin/v1/events', description: 'changes as they happen, as server-sent events' },
  { method: 'GET', path: '/admin/v1/explain', description: 'where a request for ?host=&path= would go' },
  { method: 'POST', path: '/admin/v1/reload', description: 'read the configuration again' },
  { method: 'POST', path: '/admin/v1/drain', description: 'finish what is under way, then end' },
  {
    method: 'POST',
    path: '/admin/v1/endpoints/{cluster}/{address}',
    description: 'let an endpoint take requests again',
  },
  {
    method: 'DELETE',
    path: '/admin/v1/endpoints/{cluster}/{address}',
    description: 'give an endpoint no more requests',
  },
] as const satisfies readonly AdminEndpoint[];
