import { getHeapStatistics } from 'node:v8';

/** Limits of running queries of any language. */
export class ExecutionSettings {
  /** Maximum duration of a query, in milliseconds. */
  readonly queryTimeout: number = 30_000;
  /** Maximum number of concurrently running queries. */
  readonly queriesMax: number = 16;
  /** Maximum number of waiting queries. */
  readonly queryQueue: number = 256;
  /** Maximum memory of all running queries, in bytes; 0: a fraction of the heap. */
  readonly queryMemory: number = 0;
}

/** Running queries may hold this fraction of the heap (1 / n), unless the settings name a limit. */
const HEAP_SHARE = 4;

/** Maximum memory of all running queries, in bytes. */
export function memoryMaxOf({ queryMemory }: Pick<ExecutionSettings, 'queryMemory'>): number {
  return Math.floor(queryMemory || getHeapStatistics().heap_size_limit / HEAP_SHARE);
}
