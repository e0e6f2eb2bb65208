import { assert, unreachable } from '#platform/foundation';
import type { LineLog } from '#platform/observability';
import type { Cluster } from '../cluster/cluster.ts';
import type { ListenerConfig, ProxyConfig } from '../config/proxy-config.ts';
import { HttpFront, type HttpSurroundings } from '../http/http-front.ts';
import type { Front } from '../listener/front.ts';
import type { ListenerCounters } from '../listener/listener-counters.ts';
import { RouteTable } from '../route/route-table.ts';
import { TcpFront } from '../tcp/tcp-front.ts';
import type { FrontMaker } from './listener-set.ts';

/** What the fronts of all configurations share. */
export interface FrontSurroundings extends HttpSurroundings {
  /** Where access logs go; undefined: nowhere. */
  readonly lines: LineLog | undefined;
}

/** What a configuration became: immutable, and shared by all its fronts. */
export class FrontFactory implements FrontMaker {
  readonly #routes: RouteTable;
  readonly #clusters: ReadonlyMap<string, Cluster>;
  readonly #around: FrontSurroundings;

  constructor(config: ProxyConfig, clusters: ReadonlyMap<string, Cluster>, around: FrontSurroundings) {
    const names = config.listeners.map(({ name }) => name);
    this.#routes = new RouteTable(config.routes, names);
    this.#clusters = clusters;
    this.#around = around;
  }

  make(config: ListenerConfig, counters: ListenerCounters): Front {
    const listener = { config, counters, lines: this.#around.lines };
    switch (config.protocol) {
      case 'http': {
        const routing = { routes: this.#routes.on(config.name), clusters: this.#clusters };
        return new HttpFront(listener, routing, this.#around);
      }
      case 'tcp':
        return new TcpFront(listener, this.#clusterOf(config), this.#around.timeouts);
      default:
        return unreachable(config.protocol);
    }
  }

  /** A cluster is known again by its name: one that a TCP listener names stays the same object. */
  renew(front: Front): void {
    if (!(front instanceof HttpFront)) return;
    front.routing = { routes: this.#routes.on(front.config.name), clusters: this.#clusters };
  }

  #clusterOf({ cluster = '' }: ListenerConfig): Cluster {
    const found = this.#clusters.get(cluster);
    assert(found !== undefined, 'expected a listener to lead to a cluster');
    return found;
  }
}
