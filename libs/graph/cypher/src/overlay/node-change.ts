import type { NodeIdentity } from '../graph/property-graph.port.ts';
import type { Value } from '../value/value.ts';

interface ElementChange {
  readonly elementId: string;
  /** As they are now. */
  readonly properties: Map<string, Value>;
  /** Keys whose values the store has not yet. */
  readonly changedKeys: Set<string>;
  /** Whether the snapshot lacks it. */
  readonly isNew: boolean;
  /** Whether the store has it: a new one after a commit. */
  isStored: boolean;
  isDeleted: boolean;
}

/** A node that a transaction has created, changed or deleted. */
export interface NodeChange extends ElementChange {
  readonly identity: NodeIdentity;
  /** As they are now. */
  readonly labels: Set<string>;
  areLabelsChanged: boolean;
}

/** A relationship that a transaction has created, changed or deleted. */
export interface LinkChange extends ElementChange {
  readonly type: string;
  readonly from: number;
  readonly to: number;
  readonly key: string | undefined;
}
