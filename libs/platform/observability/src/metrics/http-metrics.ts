import { Counter, type Registry } from 'prom-client';

/** The labels of a response. */
export interface RequestFacts {
  /** The route's template; undefined when the request matched none. */
  readonly route: string | undefined;
  readonly status: number;
}

interface Tally {
  readonly route: string;
  readonly status: number;
  requests: number;
}

/** Requests by route template and status: plain numbers, which the counter is told when it is asked. */
export class HttpMetrics {
  readonly #tallies: Tally[] = [];
  readonly #byRoute = new Map<string, Map<number, Tally>>();

  constructor(registry: Registry, prefix: string) {
    const counter = new Counter({
      name: `${prefix}http_requests_total`,
      help: 'HTTP requests answered, by route template and status',
      labelNames: ['route', 'status'],
      registers: [registry],
      collect: () => {
        counter.reset();
        for (const { route, status, requests } of this.#tallies)
          counter.inc({ route, status: String(status) }, requests);
      },
    });
  }

  count({ route = 'unmatched', status }: RequestFacts): void {
    const tally = this.#byRoute.get(route)?.get(status) ?? this.#added(route, status);
    tally.requests++;
  }

  #added(route: string, status: number): Tally {
    const tally = { route, status, requests: 0 };
    const byStatus = this.#byRoute.get(route) ?? new Map<number, Tally>();
    this.#byRoute.set(route, byStatus.set(status, tally));
    this.#tallies.push(tally);
    return tally;
  }
}
