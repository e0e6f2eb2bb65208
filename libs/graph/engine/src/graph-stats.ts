import type { StorageStats } from '#graph/storage';

/** Counts of live records by their words, as `GET /v1/stats` shows them. */
export interface GraphStats {
  readonly total_entities: number;
  readonly total_relationships: number;
  /** Number of distinct types. */
  readonly types: number;
  /** Number of distinct classes. */
  readonly classes: number;
  readonly type_counts: Readonly<Record<string, number>>;
  readonly class_counts: Readonly<Record<string, number>>;
  readonly verb_counts: Readonly<Record<string, number>>;
  readonly storage: StorageStats;
  readonly snapshot_version: number;
}

/** Whether writes are possible, and the store is whole. Reads of what memory holds always are possible. */
export interface GraphHealth {
  /** `degraded`: writes and reads go on, but some of the store's files cannot be read. */
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  readonly reason?: string;
}
