import type { GraphSchema } from '#graph/memory';
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

/** The counts that a schema has. */
export function countsOf(
  { types, classes, labels = [], verbs }: GraphSchema,
  snapshotVersion: number,
): Omit<GraphStats, 'storage'> {
  const counts = (items: GraphSchema['verbs']): Readonly<Record<string, number>> =>
    Object.fromEntries(items.map(({ name, count }) => [name, count]));
  const sum = (items: GraphSchema['verbs']): number => items.reduce((total, { count }) => total + count, 0);
  return {
    total_entities: sum(types),
    total_relationships: sum(verbs),
    types: types.length,
    classes: classes.length,
    type_counts: counts(types),
    class_counts: counts(classes),
    ...(labels.length > 0 && { label_counts: counts(labels) }),
    verb_counts: counts(verbs),
    snapshot_version: snapshotVersion,
  };
}

/** Whether writes are possible, and the store is intact. Reads from memory are always possible. */
export interface GraphHealth {
  /** `degraded`: writes and reads work, but some of the store's files are unreadable. */
  readonly status: 'healthy' | 'degraded' | 'unhealthy';
  readonly reason?: string;
}
