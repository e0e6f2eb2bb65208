import type { StorageOptions } from '#graph/storage';
import type { Clock } from '#platform/foundation';
import type { MemoryGraphOptions } from '../memory/memory-graph.ts';

/** Where log lines go; pino's loggers fit. */
export interface GraphLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Of the graph above its store. */
export interface GraphMemoryOptions {
  /** How long deleted records, and stored replies, are kept. Default 30 days. */
  readonly retentionMs?: number;
  readonly clock?: Clock;
  readonly log?: GraphLog;
  /** How the graph in memory is sealed: where, and how soon when idle. */
  readonly memory?: Pick<MemoryGraphOptions, 'runSeal' | 'sealIdleMs'>;
  /** So many changed records are worth saving an image at close. Default 10,000. */
  readonly imageRecordsMin?: number;
}

export interface GraphOptions extends GraphMemoryOptions {
  readonly directory: string;
  readonly disk: StorageOptions['disk'];
  /** How storage does its work: told of group commits, given other workers. */
  readonly storage?: Pick<StorageOptions, 'jobs' | 'onCommit' | 'walFileBytes'>;
}
