/**
 * What the binder makes of a query: the same tree, every name resolved, so that the planner never meets an
 * alias. All values are frozen and independent of data: a bound query may be kept and run many times.
 *
 * - Every node pattern and every hop of the query is an *element*, numbered in source order:
 *   `elements[i].element` is `i`, and element 0 is the FIND entity. A hop's own element is its relationship;
 *   its target is the next one.
 * - A condition in WITH speaks of the fields of its own element only. WHERE speaks of aliased elements.
 * - A grouped query (`grouping` is set) speaks in HAVING, RETURN and ORDER BY of its keys and aggregates by
 *   index: one group is an array of key values and an array of aggregate values.
 * - `= null` and `!= null` with a literal have become `exists`. RETURN aliases are gone: what they stood for
 *   is in their place.
 */
import type { Warning } from '#graph/model';
import type {
  AggregateName,
  ComparisonOperator,
  CountValue,
  HopDirection,
  HopGroup,
  KeyLiteral,
  Literal,
  Name,
  Now,
  Parameter,
  QueryMode,
  Repeat,
  Span,
  TextOperator,
} from '../ast/ast.ts';

export interface BoundQuery {
  readonly mode: QueryMode;
  readonly body: BoundFind | BoundPath | BoundBlast;
  /** Every parameter the text names, at its first place; distinct by name. */
  readonly parameters: readonly Parameter[];
  /** What the text alone gives rise to: MIXED_AND_OR. */
  readonly warnings: readonly Warning[];
}

export interface BoundFind {
  readonly kind: 'find';
  readonly elements: readonly BoundElement[];
  /** `elements[0]`. */
  readonly node: BoundNode;
  readonly hops: readonly BoundHopPattern[];
  readonly where?: RowExpression;
  /** Set by GROUP BY, and by an aggregate in RETURN without one. */
  readonly grouping?: Grouping;
  readonly returns?: BoundReturn;
  readonly orderBy: readonly BoundOrderKey[];
  readonly skip?: CountValue;
  readonly limit?: CountValue;
}

export interface BoundPath {
  readonly kind: 'path';
  readonly from: BoundEnd;
  readonly to: BoundEnd;
  readonly via: BoundVia;
  /** Most hops; no limit when missing. */
  readonly depth?: number;
}

export interface BoundBlast {
  readonly kind: 'blast';
  readonly from: BoundEnd;
  readonly via: BoundVia;
  readonly depth?: number;
  readonly limit?: CountValue;
}

export type BoundEnd = BoundNode | KeyLiteral;

/** Any verb in either direction when the query has no VIA. Verbs are distinct, whatever their case. */
export interface BoundVia {
  readonly verbs: readonly Name[] | '*';
  readonly direction: HopDirection;
}

export type BoundElement = BoundNode | BoundHop;

/** A row must have this element, may have null there, or must not find one (`(…)!`; never aliased). */
export type Presence = 'required' | 'optional' | 'absent';

export interface BoundNode {
  readonly kind: 'node';
  readonly element: number;
  readonly alias?: string;
  /** Distinct. */
  readonly names: readonly Name[] | '*';
  /** Speaks of this element's fields only. */
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

/** A chain from the node before it; what follows the group goes on from that same node. */
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

/** `grouping.keys[index]` of the group at hand. */
interface KeyOperand {
  readonly kind: 'key';
  readonly index: number;
  readonly span: Span;
}

/** `grouping.aggregates[index]` of the group at hand. */
export interface AggregateOperand {
  readonly kind: 'aggregate';
  readonly index: number;
  readonly span: Span;
}

export type GroupOperand = KeyOperand | AggregateOperand;

export interface Grouping {
  /** Whether the query says GROUP BY; else the keys are the RETURN items that are no aggregates, if any. */
  readonly isExplicit: boolean;
  /** Distinct. */
  readonly keys: readonly RowOperand[];
  /** Distinct; all that RETURN, HAVING and ORDER BY speak of. */
  readonly aggregates: readonly BoundAggregate[];
  readonly having?: GroupExpression;
}

/**
 * `first` is the value on the group's first row in result order: a field returned beside GROUP BY that is not
 * grouped by. An element is an argument of `count` and `first` only; `'*'` of `count` only.
 */
export interface BoundAggregate {
  readonly function: AggregateName | 'first';
  readonly distinct: boolean;
  readonly argument: RowOperand | '*';
}

/** `count`: RETURN COUNT, no columns. (Under GROUP BY it counts each group, as `groups` do anyway.) */
export type BoundReturn = { readonly kind: 'count' } | RowColumns | GroupColumns;

/** RETURN items of a query without grouping. */
export interface RowColumns {
  readonly kind: 'rows';
  readonly distinct: boolean;
  readonly columns: readonly ResultColumn<RowOperand>[];
}

/** RETURN items of a grouped query. */
interface GroupColumns {
  readonly kind: 'groups';
  readonly distinct: boolean;
  readonly columns: readonly ResultColumn<GroupOperand>[];
}

export interface ResultColumn<Operand> {
  /** The alias, or the item as written: `h.env`, `h`, `COUNT(*)`, `AVG(h.cpu)`. */
  readonly name: string;
  readonly value: Operand;
}

/** GroupOperand in a grouped query, else RowOperand. With DISTINCT, one of the returned columns. */
export interface BoundOrderKey {
  readonly value: RowOperand | GroupOperand;
  readonly descending: boolean;
}

export type Constant = Literal | Parameter | Now;

/** Conditions of WITH and WHERE. */
export type RowExpression = BoundExpression<FieldOperand, RowOperand>;

/** Conditions of HAVING. */
export type GroupExpression = BoundExpression<GroupOperand, GroupOperand>;

/** `Left` is what is compared; `Any` what may be asked for existence. Values are `Left` in WHERE only. */
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

/** The pattern of like, ilike and regex is a string or a parameter; a literal regex is known to compile. */
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

/** Not null. Of an element in WHERE: whether the optional chain was found. */
interface BoundExistence<Any> {
  readonly kind: 'exists';
  readonly left: Any;
  readonly negated: boolean;
  readonly span: Span;
}

/** `a = b`, `a != b` in WHERE between two nodes or two relationships: whether they are one; null is none. */
export interface BoundIdentity {
  readonly kind: 'same';
  readonly left: number;
  readonly right: number;
  readonly negated: boolean;
  readonly span: Span;
}

/** `( a THAT verbs b )` in WHERE: whether a relationship leads from one node to the other; null is none. */
export interface BoundLinked {
  readonly kind: 'linked';
  readonly left: number;
  /** Distinct, whatever their case. */
  readonly verbs: readonly Name[] | '*';
  readonly direction: HopDirection;
  readonly right: number;
  readonly span: Span;
}
