/**
 * The enumeration of rows. A row is an array of *slots*, each the node or link of one element. From each node
 * of the start set, one *level* after another binds its slots to the ends of a path of steps, restricted to
 * the sets that were computed for the start set: no level runs into a dead end.
 *
 * If rows are only counted, branches that no condition connects to the rest are not enumerated. Each is a
 * *factor*, which multiplies the number of rows for each node.
 */
import type { Direction, VerbSelection } from '#graph/model';
import type { RowCondition, PatternStep } from './pattern.ts';
import type { SetFilter, SetPlan } from './set-plan.ts';
import type { StarPlan } from './star-plan.ts';

export interface RowPlan {
  readonly start: SetPlan;
  /** Element of each slot: first those of the row, in source order, then other kept ones, then the rest. */
  readonly slots: readonly number[];
  /** Slots that make up a row. */
  readonly visible: number;
  /** Slots that are kept; the others only have to exist. */
  readonly kept: number;
  readonly startSlot: number;
  readonly levels: readonly Level[];
  /** From this level on no kept slot is bound: one match of these levels is enough. */
  readonly keptLevels: number;
  /** Whether what is bound last, by the last level or as the start, is not read, and so only counted. */
  readonly isLastCounted: boolean;
  /** Conditions by the level after which they can be evaluated; first those of the start. */
  readonly checks: readonly (readonly RowCondition[])[];
  readonly factors: readonly HangingFactor[];
  /** Set where rows are only counted, and may be counted without following a link. */
  readonly star?: StarPlan;
  /** Whether rows are in result order if the candidates of each level are. */
  readonly isOrdered: boolean;
}

export type Level = ExpandLevel | OptionalLevel;

/** Ends of a path of steps from one node: distinct nodes, or the links of its one step with their nodes. */
export interface Expansion {
  readonly path: readonly PatternStep[];
  readonly keepsLinks: boolean;
}

/** Binds `slot` (and `linkSlot`) to each end of `path` in turn; nodes in between are not distinguished. */
export interface ExpandLevel extends Expansion {
  readonly kind: 'expand';
  readonly from: number;
  readonly slot: number;
  /** −1: the relationship does not matter. Otherwise the path is one step. */
  readonly linkSlot: number;
  /** Previously bound nodes of which the end must also be a neighbour. */
  readonly joins: readonly Join[];
  /** Set if only these fields of the end matter: ends with equal values are bound once, with their number. */
  readonly merged?: { readonly fields: readonly string[]; readonly isOrdered: boolean };
}

/** A step from the node at `slot` to the end of a level. */
export interface Join {
  readonly slot: number;
  readonly verbs: VerbSelection;
  readonly direction: Direction;
}

/** If the node at `from` does not pass `filters`, sets `slots` to null and skips `length` levels. */
export interface OptionalLevel {
  readonly kind: 'optional';
  readonly from: number;
  /** The step that led to the node at `from`, −1 for the start: its set bounds the tested nodes. */
  readonly near: number;
  readonly filters: readonly SetFilter[];
  readonly slots: readonly number[];
  readonly length: number;
}

export interface HangingFactor {
  /** The slot of the node whose row count it multiplies; null counts one. */
  readonly slot: number;
  readonly factor: Factor;
}

/** `near` is as in {@link OptionalLevel}. */
export type Factor = HopFactor | OptionalFactor;

/** The total number of rows of all ends, by their own factors. */
export interface HopFactor extends Expansion {
  readonly kind: 'hop';
  readonly near: number;
  /** Element of the end. */
  readonly element: number;
  readonly factors: readonly Factor[];
}

/** One row if the node does not pass `filters`, otherwise the product of the factors. */
export interface OptionalFactor {
  readonly kind: 'optional';
  readonly near: number;
  readonly filters: readonly SetFilter[];
  readonly factors: readonly Factor[];
}
