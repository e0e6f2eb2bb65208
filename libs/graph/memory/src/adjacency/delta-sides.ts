/** The lists of the delta's links of a direction. */
import type { Direction } from '#graph/model';
import type { LinkLists } from '../delta/link-lists.ts';
import type { View } from '../delta/view.ts';

/** One side of nodes' links in the delta. */
export interface DeltaSide {
  readonly lists: LinkLists;
  readonly isOut: boolean;
  /** As of a side in the base. */
  readonly skipsSelf: boolean;
}

export function deltaSides({ delta }: View, direction: Direction): DeltaSide[] {
  const out = { lists: delta.out, isOut: true, skipsSelf: false };
  const incoming = { lists: delta.in, isOut: false, skipsSelf: direction === 'any' };
  if (direction === 'any') return [out, incoming];
  return direction === 'out' ? [out] : [incoming];
}
