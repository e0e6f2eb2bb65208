import type { View } from '../delta/view.ts';
import type { DeltaSchema } from '../schema/delta-schema.ts';

/** What a snapshot is made of. */
export interface SnapshotParts {
  readonly seq: number;
  readonly view: View;
  readonly schema: DeltaSchema;
  readonly includeDeleted: boolean;
  readonly onRelease: () => void;
}
