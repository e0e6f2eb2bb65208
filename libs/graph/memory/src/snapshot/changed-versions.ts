/** The versions of a snapshot that differ from the rows of its base, and both states of their nodes. */
import { LABELS_FIELD, labelsIn, type Named } from '../column/labels-field.ts';
import type { View } from '../delta/view.ts';

export interface ChangedVersions {
  readonly versions: Uint32Array;
  /** Whether the base's row of a node belongs to the snapshot. */
  readonly isInBase: (node: number) => boolean;
  readonly isShown: (version: number) => boolean;
}

export function rowNames({ base }: View, node: number): Named {
  const segment = base.segmentOf(node);
  const row = node - segment.start;
  return {
    type: segment.type,
    class: String(segment.value(row, 'class')),
    labels: labelsIn(segment.value(row, LABELS_FIELD)),
  };
}

export function versionNames(view: View, version: number): Named {
  return {
    type: String(view.versionField(version, '_type')),
    class: String(view.versionField(version, 'class')),
    labels: labelsIn(view.versionField(version, LABELS_FIELD)),
  };
}
