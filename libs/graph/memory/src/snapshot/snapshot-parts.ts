import type { View } from '../delta/view.ts';
import type { DeltaCounts } from '../schema/delta-counts.ts';
import type { Selector } from './selector.ts';

/** The parts of a snapshot. */
export interface SnapshotParts {
  readonly seq: number;
  readonly view: View;
  /** Reads the view; shared by all snapshots of one publication. */
  readonly selector: Selector;
  readonly changes: DeltaCounts;
  readonly includeDeleted: boolean;
  /** The earliest visible deletion time; unused without deleted records. */
  readonly deletedSinceMs: number;
  readonly onRelease: () => void;
}
