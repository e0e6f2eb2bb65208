import type { PlannedChanges, SyncDocument, SyncIncrement } from '#graph/engine';
import type { EntityStatement, PartialRelationships, RelationshipInput, UnreadEntities } from '#graph/model';

/** The complete result of a run. */
export interface SyncContent {
  readonly connectorId: string;
  readonly syncId: string;
  /**
   * Nothing of these types and verbs may be deleted. To be called when the sync is planned, not before: a
   * late error of a step can add to them.
   */
  readonly partialTypes: () => readonly string[];
  /** Kept, unless the run has stated them. */
  readonly partialRelationships: readonly PartialRelationships[];
  /** What was read as changes. */
  readonly increment: SyncIncrement | undefined;
  /** To be called after `partialTypes`; stored in the same commit. */
  readonly document: () => SyncDocument | undefined;
  /** Kept with their relationships, unless the run has stated them. */
  readonly unread: readonly UnreadEntities[];
  /** Entity types, or `*` for all, of which the sync must not delete everything: it is rejected. */
  readonly emptied: readonly string[];
  readonly priority: number;
  /** Whether the deletion limit is disabled. */
  readonly force: boolean;
  /** Each once; may be called several times, like `relationships`. */
  readonly entities: () => Iterable<EntityStatement>;
  readonly relationships: () => Iterable<RelationshipInput>;
  readonly recordCount: number;
  /** The memory that all records take as one batch, estimated. */
  readonly recordBytes: number;
}

/** The changes of a sync, in the form of REST. */
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
  /** Of a dry run: what would be created, updated and deleted. */
  readonly changes?: PlannedChanges;
}

/** The target of a run's result. */
export abstract class SyncTarget {
  /**
   * Applies a diff; resolves when it is durable. It is atomic if it fits one batch; otherwise its parts are
   * written one after the other, its deletions last. A relationship with a missing end is left out with a
   * warning.
   */
  abstract sync(content: SyncContent): Promise<SyncCounts>;

  /** The changes of the last durable sync of a connector. */
  abstract lastSync(connectorId: string): SyncCounts | undefined;
}
