/**
 * The memory of a run's records: a source without end must not end the process. Sizes are estimates, in bytes
 * of V8's heap, a tenth to a half above measured ones.
 */
import type { EntityKey, EntityStatement, RelationshipInput } from '#graph/model';
import { DomainError } from '#platform/foundation';
import { getHeapStatistics } from 'node:v8';

const ENTITY_BYTES = 300;
const RELATIONSHIP_BYTES = 450;
const PROPERTY_BYTES = 24;
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

export function entityBytes({ key, properties }: EntityStatement): number {
  return ENTITY_BYTES + key.length + propertyBytes(properties);
}

export function relationshipBytes({ from, to, properties }: RelationshipInput): number {
  return RELATIONSHIP_BYTES + from.key.length + to.key.length + propertyBytes(properties);
}

export function referenceBytes({ key }: EntityKey): number {
  return ENTITY_BYTES + 2 * key.length;
}

function propertyBytes(properties: object = {}): number {
  let bytes = 0;
  for (const value of Object.values(properties)) bytes += PROPERTY_BYTES + lengthOf(value);
  return bytes;
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) ? value.reduce<number>((sum, item) => sum + 8 + lengthOf(item), 0) : 0;
}
