import type { StorageStats } from '#graph/storage';

/** Counts of live records by type, class, label and verb, as in `GET /v1/stats`. */
export interface GraphStats {
  readonly total_entities: number;
  readonly total_relationships: number;
  /** Number of distinct types. */
  readonly types: number;
  /** Number of distinct classes. */
  readonly classes: number;
  readonly type_counts: Readonly<Record<string, number>>;
  readonly class_counts: Readonly<Record<string, number>>;
  /** Number of entities with each label; missing if there are no labels. */
  readonly label_counts?: Readonly<Record<string, number>>;
  readonly verb_counts: Readonly<Record<string, number>>;
  readonly storage: StorageStats;
  readonly snapshot_version: number;
}

/** Whether writes are possible, and the store is intact. Reads from memory are always possible. */
export interface GraphHealth {
  /** `degraded`: writes and reads work, but some of the store's files are unreadable. */
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  readonly reason?: string;
}
