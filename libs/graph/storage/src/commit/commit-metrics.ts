import { Counter, Histogram, type Registry } from 'prom-client';

/** Metrics of group commits. */
export class CommitMetrics {
  readonly #bytes: Counter;
  readonly #batches: Histogram;

  constructor(registry: Registry) {
    this.#bytes = new Counter({
      name: 'plexus_wal_bytes_total',
      help: 'bytes written to the log',
      registers: [registry],
    });
    this.#batches = new Histogram({
      name: 'plexus_wal_batch_size',
      help: 'number of batches in one sync',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers: [registry],
    });
  }

  commit(batches: number, bytes: number): void {
    this.#bytes.inc(bytes);
    this.#batches.observe(batches);
  }
}
