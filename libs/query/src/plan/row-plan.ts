/**
 * How rows are enumerated. A row is an array of *slots*, each the node or link of one element. From each
 * node of the start set, one *level* after another binds its slots to what a path of steps leads to, so far
 * as that lies in the sets which finding the start set has left behind: no level runs into a dead end.
 */
import type { RowCondition, Step } from './pattern.ts';
import type { SetFilter, SetPlan } from './set-plan.ts';

export interface RowPlan {
  readonly start: SetPlan;
  /** Element of each slot: the visible ones first, in source order. */
  readonly slots: readonly number[];
  /** Slots that make up a row; the rest only had to exist (or are the FIND entity beside other rows). */
  readonly visible: number;
  readonly startSlot: number;
  readonly levels: readonly Level[];
  /** Checked on whole rows. */
  readonly conditions: readonly RowCondition[];
}

export type Level = ExpandLevel | OptionalLevel;

/** Binds `slot` (and `linkSlot`) to each end of `path` in turn; nodes between are not told apart. */
export interface ExpandLevel {
  readonly kind: 'expand';
  readonly from: number;
  readonly path: readonly Step[];
  readonly slot: number;
  /** −1: the relationship does not matter. Else the path is one step. */
  readonly linkSlot: number;
}

/** Where the node at `from` does not pass `filters`, makes `slots` null and skips `length` levels. */
export interface OptionalLevel {
  readonly kind: 'optional';
  readonly from: number;
  /** The step that led to the node at `from`, −1 for the start: its set bounds what is asked. */
  readonly near: number;
  readonly filters: readonly SetFilter[];
  readonly slots: readonly number[];
  readonly length: number;
}
