import type { BufferBag } from '../array/buffer-bag.ts';
import type { RawHeads } from './raw-heads.ts';
import type { SealSources } from './seal-sources.ts';

export interface SegmentWork {
  readonly sources: SealSources;
  readonly bag: BufferBag;
  /** Heads of the new rows. */
  readonly heads: RawHeads;
  /** Old number of each new row. */
  readonly nodes: Uint32Array;
}

/** The input of one column. */
export interface ColumnWork extends SegmentWork {
  readonly name: string;
  /** Old segment of each row with unchanged content, else −1. */
  readonly origins: Int32Array;
  /** Place of the value in each row with new content, 0 if it is missing; undefined if all are missing. */
  readonly fresh: Uint32Array | undefined;
}
