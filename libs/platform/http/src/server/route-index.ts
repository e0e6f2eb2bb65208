import type { FastifyInstance } from 'fastify';

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

function segmentsOf(path: string): readonly string[] {
  return path.split('/');
}

function fits(path: readonly string[], template: readonly string[]): boolean {
  if (path.length !== template.length) return false;
  return template.every((part, i) => (part.startsWith(':') ? path[i] !== '' : part === path[i]));
}
