/**
 * How rows are enumerated. A row is an array of *slots*, each the node or link of one element. From each
 * node of the start set, one *level* after another binds its slots to what a path of steps leads to, so far
 * as that lies in the sets which finding the start set has left behind: no level runs into a dead end.
 *
 * Where rows are only counted, what no condition ties to the rest is not enumerated: it is a *factor*, which
 * says for each node by how many rows it multiplies.
 */
import type { Direction, VerbSelection } from '#graph/model';
import type { RowCondition, PatternStep } from './pattern.ts';
import type { SetFilter, SetPlan } from './set-plan.ts';

export interface RowPlan {
  readonly start: SetPlan;
  /** Element of each slot: those that make up a row, in source order; those kept beside; the rest. */
  readonly slots: readonly number[];
  /** Slots that make up a row. */
  readonly visible: number;
  /** Slots that are kept; the rest only has to exist. */
  readonly kept: number;
  readonly startSlot: number;
  readonly levels: readonly Level[];
  /** From this level on nothing is bound that is kept: one way through them is enough. */
  readonly keptLevels: number;
  /** Conditions by the level after which they can be told; before them those that the start can tell. */
  readonly checks: readonly (readonly RowCondition[])[];
  readonly factors: readonly HangingFactor[];
  /** Whether rows come in result order when the candidates of each level do. */
  readonly isOrdered: boolean;
}

export type Level = ExpandLevel | OptionalLevel;

/** Ends of a path of steps from one node: distinct nodes, or the links of its one step with their nodes. */
export interface Expansion {
  readonly path: readonly PatternStep[];
  readonly keepsLinks: boolean;
}

/** Binds `slot` (and `linkSlot`) to each end of `path` in turn; nodes between are not told apart. */
export interface ExpandLevel extends Expansion {
  readonly kind: 'expand';
  readonly from: number;
  readonly slot: number;
  /** −1: the relationship does not matter. Else the path is one step. */
  readonly linkSlot: number;
  /** Nodes bound before that the end must be a neighbour of, too. */
  readonly joins: readonly Join[];
}

/** From the node at `slot` to the end of a level. */
export interface Join {
  readonly slot: number;
  readonly verbs: VerbSelection;
  readonly direction: Direction;
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

export interface HangingFactor {
  /** The slot of the node whose number of rows it tells; null counts one. */
  readonly slot: number;
  readonly factor: Factor;
}

/** `near` is as in {@link OptionalLevel}. */
export type Factor = HopFactor | OptionalFactor;

/** As many rows as all ends together have by the factors that hang on them. */
export interface HopFactor extends Expansion {
  readonly kind: 'hop';
  readonly near: number;
  /** Of the end. */
  readonly element: number;
  readonly factors: readonly Factor[];
}

/** One row where the node does not pass `filters`, else what the factors make. */
export interface OptionalFactor {
  readonly kind: 'optional';
  readonly near: number;
  readonly filters: readonly SetFilter[];
  readonly factors: readonly Factor[];
}
