import type { View } from '../delta/view.ts';
import type { DeltaSchema } from '../schema/delta-schema.ts';
import type { Selector } from './selector.ts';

/** What a snapshot is made of. */
export interface SnapshotParts {
  readonly seq: number;
  readonly view: View;
  /** Over the view; shared by all snapshots of one publication. */
  readonly selector: Selector;
  readonly schema: DeltaSchema;
  readonly includeDeleted: boolean;
  /** With deleted records, those deleted from then on; else without meaning. */
  readonly deletedSinceMs: number;
  readonly onRelease: () => void;
}
