/**
 * A bound expression with its constants resolved: tests of one value, comparisons of two values of one row,
 * and logic between them. Conditions on the fields of one node become a `Filter`, which an index may answer;
 * all others are compiled to closures over a row.
 */
import type { Direction, FieldValue, Filter, ValueTest, VerbSelection } from '#graph/model';
import { assert } from '#platform/foundation';

/** A field of an element: of a node as in `Filter`, of a relationship as in `GraphReader.linkField`. */
interface FieldOperand {
  readonly kind: 'field';
  readonly element: number;
  readonly field: string;
}

/** A whole node or relationship. */
interface ElementOperand {
  readonly kind: 'element';
  readonly element: number;
}

export type RowOperand = FieldOperand | ElementOperand;

export type Condition<Operand> =
  | { readonly kind: 'test'; readonly operand: Operand; readonly test: ValueTest }
  | {
      readonly kind: 'pair';
      readonly left: Operand;
      readonly right: Operand;
      readonly holds: (left: FieldValue, right: FieldValue) => boolean;
    }
  | { readonly kind: 'same'; readonly left: number; readonly right: number }
  | LinkedCondition
  | { readonly kind: 'and' | 'or'; readonly items: readonly Condition<Operand>[] }
  | { readonly kind: 'not'; readonly item: Condition<Operand> };

/** Whether a link leads from the node of one element to that of another; null has none. */
export interface LinkedCondition {
  readonly kind: 'linked';
  readonly left: number;
  readonly right: number;
  readonly verbs: VerbSelection;
  readonly direction: Direction;
}

/** Reads the values of a row (or of a group). */
export interface RowAccess<Operand, Row> {
  value(operand: Operand): (row: Row) => FieldValue;
  /** Whether two elements are one; null is none. */
  same(left: number, right: number): (row: Row) => boolean;
  linked(condition: LinkedCondition): (row: Row) => boolean;
}

/** Removes double negations. */
export function negate<Operand>(item: Condition<Operand>, isNegated = true): Condition<Operand> {
  if (!isNegated) return item;
  return item.kind === 'not' ? item.item : { kind: 'not', item };
}

export function allOf<Operand>(items: readonly Condition<Operand>[]): Condition<Operand> | undefined {
  return items.length > 1 ? { kind: 'and', items } : items[0];
}

/** The conjuncts of a condition. */
export function conjuncts<Operand>(condition: Condition<Operand> | undefined): readonly Condition<Operand>[] {
  if (condition === undefined) return [];
  return condition.kind === 'and' ? condition.items.flatMap((item) => conjuncts(item)) : [condition];
}

export function compileCondition<Operand, Row>(
  condition: Condition<Operand>,
  access: RowAccess<Operand, Row>,
): (row: Row) => boolean {
  switch (condition.kind) {
    case 'test': {
      const { test } = condition;
      const value = access.value(condition.operand);
      return (row) => test.matches(value(row));
    }
    case 'pair': {
      const [left, right, { holds }] = [
        access.value(condition.left),
        access.value(condition.right),
        condition,
      ];
      return (row) => holds(left(row), right(row));
    }
    case 'same':
      return access.same(condition.left, condition.right);
    case 'linked':
      return access.linked(condition);
    case 'not': {
      const item = compileCondition(condition.item, access);
      return (row) => !item(row);
    }
    default: {
      const items = condition.items.map((item) => compileCondition(item, access));
      return condition.kind === 'and'
        ? (row) => items.every((item) => item(row))
        : (row) => items.some((item) => item(row));
    }
  }
}

/** The filter for a condition that contains only tests of one node's fields. */
export function filterOf(condition: Condition<RowOperand>): Filter {
  switch (condition.kind) {
    case 'test':
      assert(condition.operand.kind === 'field', 'expected a test of a field');
      return { kind: 'test', field: condition.operand.field, test: condition.test };
    case 'not':
      return { kind: 'not', item: filterOf(condition.item) };
    case 'and':
    case 'or':
      return { kind: condition.kind, items: condition.items.map(filterOf) };
    default:
      throw new TypeError(`expected a test of one value, got ${condition.kind}`);
  }
}
