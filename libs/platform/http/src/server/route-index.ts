import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '#platform/foundation';

/** The methods of each path, for 405. Filled while the application registers its routes. */
export class RouteIndex {
  readonly #methodsByTemplate = new Map<string, Set<string>>();

  /** Call it before the first route is registered. */
  watch(instance: FastifyInstance): void {
    instance.addHook('onRoute', ({ url, method }) => {
      const methods = this.#methodsByTemplate.get(url) ?? new Set();
      for (const name of Array.isArray(method) ? method : [method]) methods.add(name);
      this.#methodsByTemplate.set(url, methods);
    });
  }

  /** Methods of all routes that match the URL, sorted; empty when the path is unknown. */
  methodsOf(url: string): readonly string[] {
    const path = segmentsOf(url.split('?', 1)[0] ?? '');
    const methods = new Set<string>();
    for (const [template, own] of this.#methodsByTemplate) {
      if (fits(path, segmentsOf(template))) for (const method of own) methods.add(method);
    }
    return [...methods].sort();
  }
}

/** NOT_FOUND or METHOD_NOT_ALLOWED for a request without a route; sets `Allow`. */
export function routeFault(
  routes: RouteIndex,
  request: FastifyRequest,
  reply: FastifyReply,
): DomainError | undefined {
  if (!request.is404) return undefined;
  const methods = routes.methodsOf(request.url);
  if (methods.length === 0) return new DomainError('NOT_FOUND', 'no such path');
  reply.header('Allow', methods.join(', '));
  return new DomainError('METHOD_NOT_ALLOWED', `expected ${methods.join(' or ')}, got ${request.method}`);
}

/** INVALID_REQUEST for parameters that are not UTF-8: the parser would take them undecoded. */
export function queryFault({ url }: FastifyRequest): DomainError | undefined {
  const start = url.indexOf('?');
  try {
    if (start >= 0) decodeURIComponent(url.slice(start));
    return undefined;
  } catch {
    return new DomainError('INVALID_REQUEST', 'parameters: expected percent-encoded UTF-8');
  }
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/');
}

function fits(path: readonly string[], template: readonly string[]): boolean {
  if (path.length !== template.length) return false;
  return template.every((part, i) => (part.startsWith(':') ? path[i] !== '' : part === path[i]));
}
