import type { RouteConfig } from '../config/proxy-config.ts';
import { ListenerRoutes } from './listener-routes.ts';

const NO_ROUTES = new ListenerRoutes([]);

/**
 * Which route takes a request. Of those that its listener has, and that match: the one with its very host,
 * else with the longest `*.suffix`, else for any host; then the one with the longest prefix; then the first
 * in the file. A host whose routes take other paths does not hide routes for more hosts.
 *
 * A prefix is compared with the path byte by byte, as it was sent: nothing is decoded, `/old` takes `/older`.
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

  /** To be kept by a listener as long as the configuration holds. */
  on(listener: string): ListenerRoutes {
    return this.#byListener.get(listener) ?? NO_ROUTES;
  }
}

/** Whether a listener has the route. */
export function isOn({ listeners }: RouteConfig, listener: string): boolean {
  return listeners === undefined || listeners.includes(listener);
}
