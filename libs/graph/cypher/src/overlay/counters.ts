/** What a statement has changed, as Neo4j counts it. */
export interface Counters {
  readonly nodes_created: number;
  readonly nodes_deleted: number;
  readonly relationships_created: number;
  readonly relationships_deleted: number;
  readonly properties_set: number;
  readonly labels_added: number;
  readonly labels_removed: number;
  readonly indexes_added: number;
  readonly indexes_removed: number;
  readonly constraints_added: number;
  readonly constraints_removed: number;
}

/** Counters while a statement runs. */
export class RunningCounters implements Counters {
  nodes_created = 0;
  nodes_deleted = 0;
  relationships_created = 0;
  relationships_deleted = 0;
  properties_set = 0;
  labels_added = 0;
  labels_removed = 0;
  indexes_added = 0;
  indexes_removed = 0;
  constraints_added = 0;
  constraints_removed = 0;
}

/** Whether anything was changed: `contains_updates` of drivers. */
export function containsUpdates(counters: Counters): boolean {
  return Object.values(counters).some((count) => count > 0);
}

/** Of a statement that only reads. */
export const UNCHANGED: Counters = new RunningCounters();
