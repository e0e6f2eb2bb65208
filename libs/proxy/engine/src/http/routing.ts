import { assert } from '#platform/foundation';
import type { Cluster } from '../cluster/cluster.ts';
import type { RouteConfig } from '../config/proxy-config.ts';
import type { ListenerRoutes } from '../route/listener-routes.ts';

/** Routes the requests of one listener under one configuration. Hot path: once for each request. */
export class Routing {
  readonly #routes: ListenerRoutes;
  readonly #clusters: ReadonlyMap<string, Cluster>;

  constructor(routes: ListenerRoutes, clusters: ReadonlyMap<string, Cluster>) {
    this.#routes = routes;
    this.#clusters = clusters;
  }

  /** See `ListenerRoutes.match`. */
  match(host: string, target: string): RouteConfig | undefined {
    return this.#routes.match(host, target);
  }

  cluster(name: string): Cluster {
    const cluster = this.#clusters.get(name);
    assert(cluster !== undefined, 'expected a configuration to have its clusters');
    return cluster;
  }
}
