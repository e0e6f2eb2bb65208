/** The routes of one listener, indexed. Hot path: `match`, once for each request. */
import type { RouteConfig } from '../config/proxy-config.ts';
import { requestHost, requestPath } from './request-host.ts';

const ANY = '*';
const DOT = 0x2e;

export class ListenerRoutes {
  readonly #exact: ReadonlyMap<string, PrefixIndex>;
  /** Wildcard hosts by the text after the asterisk: `.example.com`. */
  readonly #suffixes: ReadonlyMap<string, PrefixIndex>;
  readonly #any: PrefixIndex;

  /** `routes` are in the order of the file. */
  constructor(routes: readonly RouteConfig[]) {
    const byHost = Map.groupBy(routes, ({ host }) => host);
    const entries = Array.from(byHost, ([host, some]) => [host, new PrefixIndex(some)] as const);
    const isSuffix = (host: string): boolean => host.startsWith('*.');
    this.#any = byHost.has(ANY) ? new PrefixIndex(byHost.get(ANY) ?? []) : new PrefixIndex([]);
    this.#exact = new Map(entries.filter(([host]) => host !== ANY && !isSuffix(host)));
    this.#suffixes = new Map(
      entries.filter(([host]) => isSuffix(host)).map(([host, index]) => [host.slice(1), index]),
    );
  }

  /** `host` as in the Host header, `target` as in the request line. Undefined: no route matches. */
  match(host: string, target: string): RouteConfig | undefined {
    const path = requestPath(target);
    if (this.#exact.size === 0 && this.#suffixes.size === 0) return this.#any.match(path);
    const name = requestHost(host);
    return this.#exact.get(name)?.match(path) ?? this.#matchSuffix(name, path) ?? this.#any.match(path);
  }

  /** The longest suffix first. */
  #matchSuffix(name: string, path: string): RouteConfig | undefined {
    if (this.#suffixes.size === 0) return undefined;
    for (let at = 1; at < name.length - 1; at++) {
      if (name.charCodeAt(at) !== DOT) continue;
      const route = this.#suffixes.get(name.slice(at))?.match(path);
      if (route !== undefined) return route;
    }
    return undefined;
  }
}

/** Routes of one host by prefix, the longest first. Hot path: `match`. */
class PrefixIndex {
  /** Lengths of the prefixes in descending order. */
  readonly #lengths: readonly number[];
  readonly #byPrefix: ReadonlyMap<string, RouteConfig>;

  /** `routes` are in the order of the file: of two with the same prefix, the first wins. */
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
