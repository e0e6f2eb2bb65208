/**
 * A pattern as a tree of nodes. A hop is a child of its start node; the hops after an optional or absent
 * group are children of the node before the group. Conditions on a single node are part of its selection.
 */
import type { Direction, Selection, VerbSelection } from '#graph/model';
import type { Condition, RowOperand } from './condition.ts';

/** Walks of so many hops, none of which is used twice. */
export interface Repeat {
  readonly min: number;
  /** Infinity without an upper bound. */
  readonly max: number;
}

export type RowCondition = Condition<RowOperand>;

/** A step from a node to its neighbours. */
export interface PatternStep {
  /** Element of the relationship. */
  readonly element: number;
  readonly verbs: VerbSelection;
  readonly direction: Direction;
  readonly repeat?: Repeat;
  /** Condition on the relationship alone. */
  readonly condition?: RowCondition;
}

/** The branches of a node. */
export interface PatternBody {
  readonly hops: readonly PatternHop[];
  readonly groups: readonly PatternGroup[];
}

export interface PatternNode extends PatternBody {
  readonly element: number;
  readonly selection: Selection;
}

export interface PatternHop {
  readonly step: PatternStep;
  readonly target: PatternNode;
}

export interface PatternGroup extends PatternBody {
  readonly mode: 'optional' | 'absent';
}

export interface Pattern {
  readonly root: PatternNode;
  /** Conditions on several elements, or on one that may be null: a row passes all of them. */
  readonly conditions: readonly RowCondition[];
}

/** The elements of a condition. */
export function elementsOf(condition: RowCondition): readonly number[] {
  switch (condition.kind) {
    case 'test':
      return [condition.operand.element];
    case 'pair':
      return [condition.left.element, condition.right.element];
    case 'same':
    case 'linked':
      return [condition.left, condition.right];
    case 'not':
      return elementsOf(condition.item);
    default:
      return condition.items.flatMap(elementsOf);
  }
}
