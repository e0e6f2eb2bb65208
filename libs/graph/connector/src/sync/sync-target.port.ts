import type { EntityStatement, RelationshipInput } from '#graph/model';

/** All that a run has to say. */
export interface SyncContent {
  readonly connectorId: string;
  readonly syncId: string;
  /** Nothing of these types and verbs may be dropped. */
  readonly partialTypes: readonly string[];
  readonly priority: number;
  /** Whether it may delete however much. */
  readonly force: boolean;
  readonly entities: Iterable<EntityStatement>;
  readonly relationships: Iterable<RelationshipInput>;
  readonly entityCount: number;
  readonly relationshipCount: number;
}

/** What a sync changed, in the words of REST. */
export interface SyncCounts {
  readonly sync_id: string;
  readonly entities_created: number;
  readonly entities_updated: number;
  readonly entities_unchanged: number;
  readonly entities_deleted: number;
  readonly relationships_created: number;
  readonly relationships_updated: number;
  readonly relationships_unchanged: number;
  readonly relationships_deleted: number;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

/** Where a run's result goes. */
export abstract class SyncTarget {
  /**
   * One atomic diff; resolves when it is durable. A relationship whose end is nowhere is left out with a
   * warning.
   */
  abstract sync(content: SyncContent): Promise<SyncCounts>;

  /** What the last durable sync of a connector changed. */
  abstract lastSync(connectorId: string): SyncCounts | undefined;
}
