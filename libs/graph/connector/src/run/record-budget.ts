/**
 * The memory of a run's records: a source without end must not end the process. Sizes are estimates, in
 * bytes, of what is compressed and what is not.
 */
import type { EntityKey } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { getHeapStatistics } from 'node:v8';

const REFERENCE_BYTES = 300;
const MEBIBYTE = 1_048_576;

export class RecordBudget {
  readonly #maxBytes: number;
  #usedBytes = 0;

  /** `maxBytes`: default half of the process's heap. */
  constructor(maxBytes = getHeapStatistics().heap_size_limit / 2) {
    this.#maxBytes = maxBytes;
  }

  /** Throws like {@link requireRoom} if they do not fit; they count until they are given back. */
  take(bytes: number): void {
    this.#usedBytes += bytes;
    this.requireRoom();
  }

  /** Throws BODY_TOO_LARGE while the limit is exceeded. */
  requireRoom(): void {
    if (this.#usedBytes <= this.#maxBytes) return;
    const limit = `${Math.floor(this.#maxBytes / MEBIBYTE)} MiB`;
    const advice = 'split the source among connectors, or raise --max-old-space-size';
    throw new DomainError(
      'BODY_TOO_LARGE',
      `the records of the run take more memory than ${limit}: ${advice}`,
    );
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}

export function referenceBytes({ key }: EntityKey): number {
  return REFERENCE_BYTES + 2 * key.length;
}
