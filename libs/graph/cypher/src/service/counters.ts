/** What a statement has changed, as Neo4j counts it; all 0 for one that reads. */
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

export const NOTHING_CHANGED: Counters = {
  nodes_created: 0,
  nodes_deleted: 0,
  relationships_created: 0,
  relationships_deleted: 0,
  properties_set: 0,
  labels_added: 0,
  labels_removed: 0,
  indexes_added: 0,
  indexes_removed: 0,
  constraints_added: 0,
  constraints_removed: 0,
};
