import { Gauge, type Registry } from 'prom-client';
import type { QueryScheduler } from '#graph/execution';
import { TallyHistogram } from '#platform/observability';
import type { Cursors } from './cursors.ts';

const BUCKETS_S = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

/** Number and duration of queries by kind of result. */
export class QueryMetrics {
  readonly #duration: TallyHistogram<'kind'>;

  constructor(registry: Registry, scheduler: QueryScheduler, cursors: Cursors) {
    this.#duration = new TallyHistogram({
      name: 'plexus_query_duration_seconds',
      help: 'duration of a query including waiting; failed queries have the kind error',
      label: 'kind',
      buckets: BUCKETS_S,
      registry,
    });
    const gauge = (name: string, help: string, read: () => number): void => {
      const collect = function (this: Gauge): void {
        this.set(read());
      };
      new Gauge({ name: `plexus_${name}`, help, registers: [registry], collect });
    };
    gauge('queries_running', 'queries that run now', () => scheduler.running);
    gauge('queries_waiting', 'queries that wait for their turn', () => scheduler.waiting);
    gauge('query_bytes', 'memory that running queries hold, about', () => scheduler.heldBytes);
    gauge('cursors', 'results kept behind cursors', () => cursors.size);
    gauge('cursor_bytes', 'memory that results behind cursors hold, about', () => cursors.bytes);
  }

  observe(kind: string, ms: number): void {
    this.#duration.tally(kind, ms / 1_000);
  }
}
