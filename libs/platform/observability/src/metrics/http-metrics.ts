import { Counter, type Registry } from 'prom-client';

/** What a reply is counted by. */
export interface RequestFacts {
  /** The route's template; undefined when the request matched none. */
  readonly route: string | undefined;
  readonly status: number;
}

interface Tally {
  inc(): void;
}

/** Requests by route template and status. Each pair's counter is looked up once and kept. */
export class HttpMetrics {
  readonly #counter: Counter<'route' | 'status'>;
  readonly #tallies = new Map<string, Map<number, Tally>>();

  constructor(registry: Registry, prefix: string) {
    this.#counter = new Counter({
      name: `${prefix}http_requests_total`,
      help: 'HTTP requests answered, by route template and status',
      labelNames: ['route', 'status'],
      registers: [registry],
    });
  }

  count({ route = 'unmatched', status }: RequestFacts): void {
    const byStatus = this.#tallies.get(route) ?? new Map<number, Tally>();
    const tally = byStatus.get(status);
    if (tally !== undefined) {
      tally.inc();
      return;
    }
    const created = this.#counter.labels({ route, status: String(status) });
    this.#tallies.set(route, byStatus.set(status, created));
    created.inc();
  }
}
