/**
 * The binder's result: the same tree with every name resolved, so that the planner needs no aliases.
 * All values are frozen and independent of the data: a bound query can be kept and run many times.
 *
 * - Every node pattern and every hop of the query is an *element*, numbered in source order:
 *   `elements[i].element` is `i`, and element 0 is the FIND entity. A hop's own element is its relationship;
 *   its target is the next one.
 * - A condition in WITH refers to fields of its own element only. WHERE refers to aliased elements.
 * - A grouped query (`grouping` is set) refers to its keys and aggregates by index in HAVING, RETURN and
 *   ORDER BY: a group is an array of key values and an array of aggregate values.
 * - `= null` and `!= null` with a literal become `exists`. RETURN aliases are replaced by their definitions.
 */
import type { Warning } from '#graph/model';
import {
  type AggregateName,
  type ArithmeticOperator,
  type AsOf,
  type ComparisonOperator,
  type Computed,
  type CountValue,
  type DateValue,
  type HopDirection,
  type HopGroup,
  isComputed,
  type KeyLiteral,
  type Literal,
  type Name,
  type Now,
  type Parameter,
  type QueryMode,
  type Repeat,
  type Span,
  type TextOperator,
} from '../ast/ast.ts';

export interface BoundQuery {
  readonly mode: QueryMode;
  readonly body: BoundFind | BoundPath | BoundBlast;
  /** Every parameter of the text at its first position; distinct by name. */
  readonly parameters: readonly Parameter[];
  /** Warnings that depend on the text only: MIXED_AND_OR. */
  readonly warnings: readonly Warning[];
  readonly asOf?: AsOf;
}

export interface BoundFind {
  readonly kind: 'find';
  readonly elements: readonly BoundElement[];
  /** The first element: `elements[0]`. */
  readonly node: BoundNode;
  readonly hops: readonly BoundHopPattern[];
  readonly where?: RowExpression;
  /** Set by GROUP BY, or by an aggregate in RETURN without GROUP BY. */
  readonly grouping?: Grouping;
  readonly returns?: BoundReturn;
  readonly orderBy: readonly BoundOrderKey[];
  readonly skip?: CountValue;
  readonly limit?: CountValue;
}

export interface BoundPath {
  readonly kind: 'path';
  readonly all: boolean;
  readonly each: boolean;
  readonly from: BoundEnd;
  readonly to: BoundEnd;
  readonly via: BoundVia;
  /** Maximum number of hops; unlimited if missing. */
  readonly depth?: number;
  readonly limit?: CountValue;
}

export interface BoundBlast {
  readonly kind: 'blast';
  readonly from: BoundEnd;
  readonly via: BoundVia;
  readonly depth?: number;
  readonly limit?: CountValue;
}

export type BoundEnd = BoundNode | KeyLiteral;

/** Any verb in either direction if the query has no VIA. Verbs are distinct, ignoring case. */
export interface BoundVia {
  readonly verbs: readonly Name[] | '*';
  readonly direction: HopDirection;
}

export type BoundElement = BoundNode | BoundHop;

/**
 * Whether a row must bind this element, may have null for it, or must not find one (`(…)!`; never aliased).
 */
export type Presence = 'required' | 'optional' | 'absent';

export interface BoundNode {
  readonly kind: 'node';
  readonly element: number;
  readonly alias?: string;
  /** Distinct types, classes or labels; `*` for any. */
  readonly names: readonly Name[] | '*';
  /** Refers to this element's fields only. */
  readonly filter?: RowExpression;
  readonly presence: Presence;
  readonly span: Span;
}

export type BoundHopPattern = BoundHop | BoundGroup;

export interface BoundHop {
  readonly kind: 'hop';
  /** The relationship. */
  readonly element: number;
  readonly alias?: string;
  /** Distinct, whatever their case. */
  readonly verbs: readonly Name[] | '*';
  readonly direction: HopDirection;
  /** A repeated hop has no alias. */
  readonly repeat?: Repeat;
  readonly target: BoundNode;
  readonly presence: Presence;
  readonly span: Span;
}

/** A chain from the preceding node; the elements after the group continue from that same node. */
export interface BoundGroup {
  readonly kind: 'group';
  readonly mode: HopGroup['mode'];
  readonly hops: readonly BoundHopPattern[];
  readonly span: Span;
}

/** A field of an element, as in `Filter` for a node and as in `GraphReader.linkField` for a relationship. */
export interface FieldOperand {
  readonly kind: 'field';
  readonly element: number;
  readonly field: string;
  readonly span: Span;
}

/** A whole node or relationship: `h` and `h.*`. */
export interface ElementOperand {
  readonly kind: 'element';
  readonly element: number;
  readonly span: Span;
}

export type RowOperand = FieldOperand | ElementOperand;

/** `grouping.keys[index]` of the current group. */
interface KeyOperand {
  readonly kind: 'key';
  readonly index: number;
  readonly span: Span;
}

/** `grouping.aggregates[index]` of the current group. */
export interface AggregateOperand {
  readonly kind: 'aggregate';
  readonly index: number;
  readonly span: Span;
}

export type GroupOperand = KeyOperand | AggregateOperand;

/**
 * A value of RETURN that is computed of others: `operators[i]` stands before `terms[i + 1]`, all of them of
 * one rank; CONCAT has none.
 */
export interface ComputedOperand<Operand> {
  readonly kind: Computed['kind'];
  readonly terms: readonly (Operand | ComputedOperand<Operand> | Literal)[];
  readonly operators: readonly ArithmeticOperator[];
  readonly span: Span;
}

export function isComputedOperand<Operand extends { readonly kind: string }>(
  value: Operand | ComputedOperand<Operand>,
): value is ComputedOperand<Operand> {
  return isComputed(value);
}

export type RowValue = RowOperand | ComputedOperand<RowOperand>;
export type GroupValue = GroupOperand | ComputedOperand<GroupOperand>;

export interface Grouping {
  /**
   * Whether the query has GROUP BY; otherwise the keys are the RETURN items that are not aggregates, if any.
   */
  readonly isExplicit: boolean;
  /** Distinct operands whose values form a group. */
  readonly keys: readonly RowValue[];
  /** Distinct; all aggregates of RETURN, HAVING and ORDER BY. */
  readonly aggregates: readonly BoundAggregate[];
  readonly having?: GroupExpression;
}

/**
 * `first` is the value on the group's first row in result order, for a returned field that is not in GROUP
 * BY. An element is an argument of `count` and `first` only; `'*'` of `count` only.
 */
export interface BoundAggregate {
  readonly function: AggregateName | 'first';
  readonly distinct: boolean;
  readonly argument: RowOperand | '*';
}

/**
 * `count`: RETURN COUNT, without columns. (Under GROUP BY it counts each group, which `groups` do anyway.)
 */
export type BoundReturn = { readonly kind: 'count' } | RowColumns | GroupColumns;

/** RETURN items of a query without grouping. */
export interface RowColumns {
  readonly kind: 'rows';
  readonly distinct: boolean;
  readonly columns: readonly ResultColumn<RowValue>[];
}

/** RETURN items of a grouped query. */
interface GroupColumns {
  readonly kind: 'groups';
  readonly distinct: boolean;
  readonly columns: readonly ResultColumn<GroupValue>[];
}

export interface ResultColumn<Operand> {
  /** The alias, or the item as written: `h.env`, `h`, `COUNT(*)`, `AVG(h.cpu)`. */
  readonly name: string;
  readonly value: Operand;
  /** Span of the alias, or of the item. */
  readonly span: Span;
}

/** GroupValue in a grouped query, else RowValue. With DISTINCT, one of the returned columns. */
export interface BoundOrderKey {
  readonly value: RowValue | GroupValue;
  readonly descending: boolean;
}

export type Constant = Literal | Parameter | Now | DateValue;

/** Conditions of WITH and WHERE. */
export type RowExpression = BoundExpression<FieldOperand, RowOperand>;

/** Conditions of HAVING. */
export type GroupExpression = BoundExpression<GroupValue, GroupValue>;

/** `Left` is a compared operand; `Any` one that EXISTS accepts. Values are `Left` in WHERE only. */
export type BoundExpression<Left, Any> =
  | BoundAndOr<Left, Any>
  | BoundNot<Left, Any>
  | BoundComparison<Left>
  | BoundMembership<Left>
  | BoundTextMatch<Left>
  | BoundBetween<Left>
  | BoundExistence<Any>
  | BoundIdentity
  | BoundLinked;

interface BoundAndOr<Left, Any> {
  readonly kind: 'and' | 'or';
  readonly items: readonly BoundExpression<Left, Any>[];
}

interface BoundNot<Left, Any> {
  readonly kind: 'not';
  readonly item: BoundExpression<Left, Any>;
}

export interface BoundComparison<Left> {
  readonly kind: 'compare';
  readonly left: Left;
  readonly operator: ComparisonOperator;
  readonly right: Constant | Left;
  readonly span: Span;
}

export interface BoundMembership<Left> {
  readonly kind: 'in';
  readonly left: Left;
  readonly negated: boolean;
  /** A parameter stands for the whole list. */
  readonly values: readonly (Constant | Left)[] | Parameter;
  readonly span: Span;
}

/**
 * The pattern of like, ilike and regex is a string or a parameter; a literal regex has been compiled once.
 */
export interface BoundTextMatch<Left> {
  readonly kind: 'text';
  readonly left: Left;
  readonly operator: TextOperator;
  readonly negated: boolean;
  readonly right: Constant | Left;
  readonly span: Span;
}

export interface BoundBetween<Left> {
  readonly kind: 'between';
  readonly left: Left;
  readonly negated: boolean;
  readonly low: Constant | Left;
  readonly high: Constant | Left;
  readonly span: Span;
}

/** Not null. For an element in WHERE: whether the optional chain was found. */
interface BoundExistence<Any> {
  readonly kind: 'exists';
  readonly left: Any;
  readonly negated: boolean;
  readonly span: Span;
}

/** `a = b`, `a != b` in WHERE between two nodes or two relationships: identity; null equals nothing. */
export interface BoundIdentity {
  readonly kind: 'same';
  readonly left: number;
  readonly right: number;
  readonly negated: boolean;
  readonly span: Span;
}

/** `( a THAT verbs b )` in WHERE: whether a relationship leads from one node to the other; null has none. */
export interface BoundLinked {
  readonly kind: 'linked';
  readonly left: number;
  /** Distinct, whatever their case. */
  readonly verbs: readonly Name[] | '*';
  readonly direction: HopDirection;
  readonly right: number;
  readonly span: Span;
}
