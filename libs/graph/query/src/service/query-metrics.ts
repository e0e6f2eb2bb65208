import { Gauge, Histogram, type Registry } from 'prom-client';
import type { QueryScheduler } from './query-scheduler.ts';
import type { Cursors } from './cursors.ts';

const BUCKETS_S = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

interface Timer {
  observe(seconds: number): void;
}

/** Queries by kind of result, and how long they took. */
export class QueryMetrics {
  readonly #duration: Histogram<'kind'>;
  readonly #timers = new Map<string, Timer>();

  constructor(registry: Registry, scheduler: QueryScheduler, cursors: Cursors) {
    this.#duration = new Histogram({
      name: 'plexus_query_duration_seconds',
      help: 'time of a query, waiting included; failed ones are of kind error',
      labelNames: ['kind'],
      buckets: BUCKETS_S,
      registers: [registry],
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
    let timer = this.#timers.get(kind);
    if (timer === undefined) {
      timer = this.#duration.labels({ kind });
      this.#timers.set(kind, timer);
    }
    timer.observe(ms / 1_000);
  }
}
