/** Routes of one host by their prefixes: the longest one first. Hot path: `match`. */
import type { RouteConfig } from '../config/proxy-config.ts';

export class PrefixIndex {
  /** Descending. */
  readonly #lengths: readonly number[];
  readonly #byPrefix: ReadonlyMap<string, RouteConfig>;

  /** In the order of the file: of two with one prefix, the first counts. */
  constructor(routes: readonly RouteConfig[]) {
    this.#byPrefix = new Map(routes.toReversed().map((route) => [route.prefix, route]));
    const lengths = new Set(routes.map(({ prefix }) => prefix.length));
    this.#lengths = Array.from(lengths).sort((a, b) => b - a);
  }

  match(path: string): RouteConfig | undefined {
    for (const length of this.#lengths) {
      if (length > path.length) continue;
      const route = this.#byPrefix.get(length === path.length ? path : path.slice(0, length));
      if (route !== undefined) return route;
    }
    return undefined;
  }
}
