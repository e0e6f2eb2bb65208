import type { PartRef } from '../array/buffer-bag.ts';
import type { CodeColumnMeta } from '../column/code-column.ts';
import type { NumberColumnMeta } from '../column/number-column.ts';
import type { PlaceColumnMeta } from '../column/place-column.ts';
import type { HashIndexMeta } from '../name/hash-index.ts';
import type { GramSectionMeta } from '../search/gram-index.ts';
import type { SourcePair } from '../stamp/stamp-table.ts';

export const BASE_FORMAT = 7;

export type ColumnMeta = CodeColumnMeta | PlaceColumnMeta | NumberColumnMeta;

export interface SegmentMeta {
  readonly type: string;
  readonly isDeleted: boolean;
  /** Node numbers. */
  readonly start: number;
  readonly end: number;
  /** The dictionary of its heads: one for each type. */
  readonly dictionary: number;
  /** Includes `class`, `display_name` and, where there are labels, `_labels`. */
  readonly columns: readonly ColumnMeta[];
  /** Names of properties with kinds behind the heads. */
  readonly kinded: readonly string[];
}

/** Links of one verb, in one direction, at the nodes of one segment. */
export interface BlockMeta {
  readonly group: number;
  readonly segment: number;
  readonly isOut: boolean;
  readonly isDeleted: boolean;
  /** u32 for each row of the segment, and the end. */
  readonly offsets: number;
}

/** A base as plain data: arrays are represented by their part numbers in the bag. */
export interface BaseMeta {
  readonly format: number;
  readonly seq: number;
  readonly nodeCount: number;
  readonly liveNodes: number;
  readonly linkCount: number;
  readonly liveLinks: number;
  readonly ownerSets: readonly (readonly string[])[];
  /** Verbs as written. */
  readonly verbs: readonly string[];
  readonly sourcePairs: readonly SourcePair[];
  readonly segments: readonly SegmentMeta[];
  readonly blocks: readonly BlockMeta[];
  readonly grams: readonly GramSectionMeta[];
  readonly nodeArena: readonly number[];
  readonly linkArena: readonly number[];
  readonly stampNumbers: number;
  readonly stampSources: number;
  readonly node: {
    /** Four words for each id. */
    readonly ids: number;
    readonly references: number;
    readonly stamps: PartRef;
    readonly owners: PartRef;
    /** Indexed by the first 32 bits of the id. */
    readonly index: HashIndexMeta;
  };
  readonly link: {
    readonly from: number;
    readonly to: number;
    readonly verbs: PartRef;
    readonly references: number;
    readonly stamps: PartRef;
    readonly owners: PartRef;
    readonly index: HashIndexMeta;
    /** Links by verb and target, and the source of each. */
    readonly inLinks: number;
    readonly inNodes: number;
  };
}
