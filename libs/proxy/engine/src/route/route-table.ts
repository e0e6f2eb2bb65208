import type { RouteConfig } from '../config/proxy-config.ts';
import { ListenerRoutes } from './listener-routes.ts';

const NO_ROUTES = new ListenerRoutes([]);

/**
 * Selects the route of a request. Among the matching routes of its listener, the order is: an exact host,
 * then the longest `*.suffix`, then any host; then the longest prefix; then the order of the file. Routes of
 * a host do not hide routes of wider hosts for other paths.
 *
 * A prefix is compared with the raw path byte by byte: nothing is decoded, `/old` matches `/older`.
 */
export class RouteTable {
  readonly #byListener: ReadonlyMap<string, ListenerRoutes>;

  constructor(routes: readonly RouteConfig[], listeners: readonly string[]) {
    this.#byListener = new Map(
      listeners.map((listener) => [
        listener,
        new ListenerRoutes(routes.filter((route) => isOn(route, listener))),
      ]),
    );
  }

  /** The routes of a listener, kept by it while the configuration is active. */
  on(listener: string): ListenerRoutes {
    return this.#byListener.get(listener) ?? NO_ROUTES;
  }
}

/** Whether a listener has the route. */
export function isOn({ listeners }: RouteConfig, listener: string): boolean {
  return listeners === undefined || listeners.includes(listener);
}
