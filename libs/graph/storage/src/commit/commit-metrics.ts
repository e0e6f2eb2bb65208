import { Injectable } from '@nestjs/common';
import { InjectMetric } from '@willsoto/nestjs-prometheus';
import type { Counter, Histogram } from 'prom-client';

export const WAL_BYTES = 'plexus_wal_bytes_total';
export const WAL_BATCH_SIZE = 'plexus_wal_batch_size';

/** Metrics of group commits. */
@Injectable()
export class CommitMetrics {
  readonly #bytes: Counter;
  readonly #batches: Histogram;

  constructor(@InjectMetric(WAL_BYTES) bytes: Counter, @InjectMetric(WAL_BATCH_SIZE) batches: Histogram) {
    this.#bytes = bytes;
    this.#batches = batches;
  }

  commit(batches: number, bytes: number): void {
    this.#bytes.inc(bytes);
    this.#batches.observe(batches);
  }
}
