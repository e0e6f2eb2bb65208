import { getHeapStatistics } from 'node:v8';

/** Limits of running queries of any language; a token that the application provides with its settings. */
export abstract class ExecutionSettings {
  /** Maximum duration of a query, in milliseconds. */
  abstract readonly queryTimeout: number;
  /** Maximum number of concurrently running queries. */
  abstract readonly queriesMax: number;
  /** Maximum number of waiting queries. */
  abstract readonly queryQueue: number;
  /** Maximum memory of all running queries, in bytes; 0: a fraction of the heap. */
  abstract readonly queryMemory: number;
}

/** Running queries may hold this fraction of the heap (1 / n), unless the settings name a limit. */
const HEAP_SHARE = 4;

/** Maximum memory of all running queries, in bytes. */
export function memoryMaxOf({ queryMemory }: Pick<ExecutionSettings, 'queryMemory'>): number {
  return Math.floor(queryMemory || getHeapStatistics().heap_size_limit / HEAP_SHARE);
}
