import { hkdfSync } from 'node:crypto';
import { unreachable } from '#platform/foundation';
import type { LineLog } from '#platform/observability';
import type { Cluster } from '../cluster/cluster.ts';
import type { ListenerConfig, ProxyConfig } from '../config/proxy-config.ts';
import { HttpFront, type HttpContext } from '../http/http-front.ts';
import { Routing } from '../http/routing.ts';
import type { Front } from '../listener/front.ts';
import type { ListenerCounters } from '../listener/listener-counters.ts';
import { RouteTable } from '../route/route-table.ts';
import { TcpFront } from '../tcp/tcp-front.ts';
import type { FrontMaker } from './listener-set.ts';

/** Shared by the fronts of all configurations. */
export interface FrontContext extends HttpContext {
  /** The output of access logs; undefined for none. */
  readonly lines: LineLog | undefined;
  /** The secret from which all workers derive their TLS ticket keys; undefined: a single process. */
  readonly ticketSecret: Uint8Array | undefined;
}

/** The size that Node requires: a name, and keys for encryption and authentication. */
const TICKET_KEY_BYTES = 48;

/** The objects of one configuration: immutable, and shared by all its fronts. */
export class FrontFactory implements FrontMaker {
  readonly #routes: RouteTable;
  readonly #clusters: ReadonlyMap<string, Cluster>;
  readonly #around: FrontContext;

  constructor(config: ProxyConfig, clusters: ReadonlyMap<string, Cluster>, around: FrontContext) {
    const names = config.listeners.map(({ name }) => name);
    this.#routes = new RouteTable(config.routes, names);
    this.#clusters = clusters;
    this.#around = around;
  }

  make(config: ListenerConfig, counters: ListenerCounters): Front {
    const { lines } = this.#around;
    const listener = { config, counters, lines, ticketKeys: this.#ticketKeysOf(config) };
    const routing = this.#routingOf(config);
    switch (config.protocol) {
      case 'http':
        return new HttpFront(listener, routing, this.#around);
      case 'tcp':
        return new TcpFront(listener, routing.cluster(config.cluster ?? ''), this.#around.timeouts);
      default:
        return unreachable(config.protocol);
    }
  }

  /** Clusters are matched by name: the cluster of a TCP listener stays the same object. */
  renew(front: Front): void {
    if (!(front instanceof HttpFront)) return;
    front.routing = this.#routingOf(front.config);
  }

  /** A session started by one worker can resume with another, on the same listener. */
  #ticketKeysOf({ name, tls }: ListenerConfig): Buffer | undefined {
    const { ticketSecret } = this.#around;
    if (tls === undefined || ticketSecret === undefined) return undefined;
    return Buffer.from(hkdfSync('sha256', ticketSecret, '', name, TICKET_KEY_BYTES));
  }

  #routingOf({ name }: ListenerConfig): Routing {
    return new Routing(this.#routes.on(name), this.#clusters);
  }
}
