/**
 * The abstract syntax of PQL: a closed union of frozen nodes, each with its source span.
 * `print` formats any of them as text that parses to an equal tree, except for spans.
 */
import type { Scalar } from '#graph/model';
import type { AGGREGATES } from '../lexer/keyword.ts';

/** Half-open range of UTF-16 offsets into the query text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

interface Node {
  readonly span: Span;
}

export type QueryMode = 'run' | 'explain' | 'profile';

export interface Query extends Node {
  readonly mode: QueryMode;
  readonly body: FindQuery | PathQuery | BlastQuery;
  readonly asOf?: AsOf;
}

/** A time, the token of a reply, or a sequence number. */
export interface AsOf extends Node {
  readonly value: string | number;
}

export interface FindQuery extends Node {
  readonly kind: 'find';
  readonly node: NodePattern;
  readonly hops: readonly HopPattern[];
  readonly where?: Expression;
  readonly groupBy: readonly FieldRef[];
  readonly having?: Expression;
  readonly returns?: ReturnClause;
  readonly orderBy: readonly OrderKey[];
  readonly skip?: CountValue;
  readonly limit?: CountValue;
}

export interface PathQuery extends Node {
  readonly kind: 'path';
  /** ALL: every shortest path. */
  readonly all?: true;
  /** FROM EACH: of each source by itself. */
  readonly each?: true;
  readonly from: EndPattern;
  readonly to: EndPattern;
  readonly via?: ViaPattern;
  readonly depth?: number;
  readonly limit?: CountValue;
}

export interface BlastQuery extends Node {
  readonly kind: 'blast';
  readonly from: EndPattern;
  readonly via?: ViaPattern;
  readonly depth?: number;
  readonly limit?: CountValue;
}

/** `class { WITH expr | AS alias }`; `'*'` matches any class. */
export interface NodePattern extends Node {
  readonly kind: 'node';
  readonly names: readonly Name[] | '*';
  readonly filter?: Expression;
  readonly alias?: Name;
}

/** A class, type, verb or alias as written. */
export interface Name extends Node {
  readonly text: string;
}

export type HopPattern = Hop | HopGroup;

export type HopDirection = 'out' | 'in' | 'any';

export interface Hop extends Node {
  readonly kind: 'hop';
  readonly verbs: VerbPattern;
  readonly repeat?: Repeat;
  readonly direction: HopDirection;
  /** Alias of the relationship. */
  readonly alias?: Name;
  readonly target: NodePattern;
}

/** `( hop … )`, `( hop … )?` or `( hop … )!`; `THAT !v n` is read as `(THAT v n)!`. */
export interface HopGroup extends Node {
  readonly kind: 'group';
  readonly mode: 'required' | 'optional' | 'absent';
  readonly hops: readonly HopPattern[];
}

/** `'*'` stands for RELATES TO. */
export interface VerbPattern extends Node {
  readonly names: readonly Name[] | '*';
}

/** Number of hops, from min to max; an open upper end is Infinity. */
export interface Repeat extends Node {
  readonly min: number;
  readonly max: number;
}

export interface ViaPattern extends Node {
  readonly verbs: VerbPattern;
  readonly direction: HopDirection;
}

/** A node pattern, or the key or id of one entity. */
export type EndPattern = NodePattern | KeyLiteral;

export interface KeyLiteral extends Node {
  readonly kind: 'key';
  readonly text: string;
}

export type Expression = AndOr | Not | Comparison | Membership | TextMatch | Between | Existence | Linked;

/** `mixed` marks unparenthesised AND and OR in one expression, on the OR. */
export interface AndOr extends Node {
  readonly kind: 'and' | 'or';
  readonly items: readonly Expression[];
  readonly mixed?: boolean;
}

export interface Not extends Node {
  readonly kind: 'not';
  readonly item: Expression;
}

export type ComparisonOperator = '=' | '!=' | '<' | '<=' | '>' | '>=';

export interface Comparison extends Node {
  readonly kind: 'compare';
  readonly left: Operand;
  readonly operator: ComparisonOperator;
  readonly right: Value;
}

/** IN, NOT IN, and `= (a OR b)`. */
export interface Membership extends Node {
  readonly kind: 'in';
  readonly left: Operand;
  readonly negated: boolean;
  readonly values: readonly Value[] | Parameter;
}

export type TextOperator = 'like' | 'ilike' | 'contains' | 'starts_with' | 'ends_with' | 'regex';

export interface TextMatch extends Node {
  readonly kind: 'text';
  readonly left: Operand;
  readonly operator: TextOperator;
  readonly negated: boolean;
  /** `contains` also tests membership of a list, so any value is allowed. */
  readonly right: Value;
}

interface Between extends Node {
  readonly kind: 'between';
  readonly left: Operand;
  readonly negated: boolean;
  readonly low: Value;
  readonly high: Value;
}

/** EXISTS, IS NULL (negated), IS NOT NULL. */
export interface Existence extends Node {
  readonly kind: 'exists';
  readonly left: Operand;
  readonly negated: boolean;
}

/** `( a THAT verbs b )` in WHERE: whether such a relationship exists between two aliased nodes. */
export interface Linked extends Node {
  readonly kind: 'linked';
  readonly left: Name;
  readonly verbs: VerbPattern;
  readonly direction: HopDirection;
  readonly right: Name;
}

/** The left operand of an operator: a field; in HAVING also an aggregate. */
export type Operand = FieldRef | Aggregate;

/** `[alias.]field`, or a bare word that names an alias; the binder resolves which. */
export interface FieldRef extends Node {
  readonly kind: 'ref';
  readonly alias?: Name;
  readonly field: Name;
}

export type AggregateName = Lowercase<(typeof AGGREGATES)[number]>;

export interface Aggregate extends Node {
  readonly kind: 'aggregate';
  readonly function: AggregateName;
  readonly distinct: boolean;
  readonly argument: FieldRef | '*';
}

export type Value = Literal | Parameter | Now | DateValue | FieldRef;

export interface Literal extends Node {
  readonly kind: 'literal';
  readonly value: Scalar;
}

export interface Parameter extends Node {
  readonly kind: 'parameter';
  readonly name: string;
}

/** NOW with an offset in milliseconds. */
export interface Now extends Node {
  readonly kind: 'now';
  readonly offsetMs: number;
}

/** `date(2019-10-30)`: the first instant of a date or a time as written, in UTC without an offset. */
export interface DateValue extends Node {
  readonly kind: 'date';
  readonly text: string;
}

export interface ReturnClause extends Node {
  readonly kind: 'count' | 'items';
  readonly distinct: boolean;
  readonly items: readonly ReturnItem[];
}

export interface ReturnItem extends Node {
  readonly value: FieldRef | Aggregate | AllFields | Computed;
  readonly alias?: Name;
}

/** A value of RETURN that is computed of others. */
export type Computed = Arithmetic | Concat;

/** A node of any syntax, or what the binder has made of it. */
export function isComputed<Value extends { readonly kind: string }>(
  value: Value,
): value is Extract<Value, { readonly kind: Computed['kind'] }> {
  return value.kind === 'arithmetic' || value.kind === 'concat';
}

/** What a computed value is made of. */
export type Term = FieldRef | Aggregate | Literal | Computed;

export type ArithmeticOperator = '+' | '-' | '*' | '/';

/** `a + b - c`, `a * b / c`: `operators[i]` stands before `terms[i + 1]`. All are sums, or all products. */
export interface Arithmetic extends Node {
  readonly kind: 'arithmetic';
  readonly terms: readonly Term[];
  readonly operators: readonly ArithmeticOperator[];
}

/** `CONCAT(a, ', ', b)` */
export interface Concat extends Node {
  readonly kind: 'concat';
  readonly terms: readonly Term[];
}

/** All fields of an element: `h.*`. */
export interface AllFields extends Node {
  readonly kind: 'all';
  readonly alias: Name;
}

export interface OrderKey extends Node {
  readonly value: FieldRef | Aggregate;
  readonly descending: boolean;
}

/** SKIP and LIMIT: a non-negative integer or a parameter. */
export type CountValue = { readonly kind: 'count'; readonly value: number; readonly span: Span } | Parameter;
