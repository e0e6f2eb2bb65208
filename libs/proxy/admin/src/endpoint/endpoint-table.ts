import { type AdminEndpoint, EXTENSION_ENDPOINTS, SPECIFIED_ENDPOINTS } from './admin-endpoint.ts';

/** The result for a method and a path. */
export type Match =
  | { readonly kind: 'known'; readonly endpoint: AdminEndpoint }
  | { readonly kind: 'unknown_path' }
  | { readonly kind: 'wrong_method'; readonly allowed: readonly string[] };

/**
 * The single list of the admin server's endpoints, used for routing, the list in a 404, help and tests. Paths
 * are compared byte for byte: no decoding, no case folding, no trailing or doubled slash.
 */
export class EndpointTable {
  readonly endpoints: readonly AdminEndpoint[];

  constructor({ extensions }: { readonly extensions: boolean }) {
    this.endpoints = extensions ? [...SPECIFIED_ENDPOINTS, ...EXTENSION_ENDPOINTS] : SPECIFIED_ENDPOINTS;
  }

  /** `path` is that of a request target, still percent-encoded and without its query. HEAD counts as GET. */
  match(method: string, path: string): Match {
    const own = this.endpoints.filter((endpoint) => fits(endpoint.path, path));
    if (own.length === 0) return { kind: 'unknown_path' };
    const asked = method === 'HEAD' ? 'GET' : method;
    const endpoint = own.find((candidate) => candidate.method === asked);
    if (endpoint !== undefined) return { kind: 'known', endpoint };
    const allowed = own.flatMap((candidate) =>
      candidate.method === 'GET' ? ['GET', 'HEAD'] : candidate.method,
    );
    return { kind: 'wrong_method', allowed };
  }
}

function fits(template: string, path: string): boolean {
  if (!template.includes('{')) return template === path;
  const parts = path.split('/');
  const segments = template.split('/');
  return parts.length === segments.length && segments.every((segment, i) => segmentFits(segment, parts[i]));
}

function segmentFits(segment: string, part = ''): boolean {
  return segment.startsWith('{') ? part !== '' && isDecodable(part) : segment === part;
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
