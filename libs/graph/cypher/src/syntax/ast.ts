/**
 * The syntax tree of a Cypher statement. Every node has the half-open range of UTF-16 offsets it was read
 * from. Names are as written, without backquotes.
 */

import type { SchemaCommand } from './schema-rule.ts';
import type { ValueType } from './value-type.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Node {
  readonly span: Span;
}

export interface Name extends Node {
  readonly text: string;
}

// --- statements -------------------------------------------------------------------------------------------

export type StatementMode = 'run' | 'explain' | 'profile';

export interface Statement {
  readonly mode: StatementMode;
  readonly query: Query;
}

/** Parts joined by UNION; one part without. */
export interface Query extends Node {
  readonly parts: readonly (readonly Clause[])[];
  /** Of each join: whether duplicates stay. Parts of one query have the same. */
  readonly unions: readonly Union[];
}

export interface Union extends Node {
  readonly isAll: boolean;
}

export type Clause =
  | MatchClause
  | UnwindClause
  | ProjectionClause
  | CreateClause
  | MergeClause
  | SetClause
  | RemoveClause
  | DeleteClause
  | ForeachClause
  | CallClause
  | SubqueryClause
  | FinishClause
  | SchemaClause;

export interface MatchClause extends Node {
  readonly kind: 'match';
  readonly isOptional: boolean;
  readonly patterns: readonly PathPattern[];
  readonly where: Expression | undefined;
}

export interface UnwindClause extends Node {
  readonly kind: 'unwind';
  readonly list: Expression;
  readonly variable: Name;
}

/** WITH and RETURN. */
export interface ProjectionClause extends Node {
  readonly kind: 'with' | 'return';
  readonly isDistinct: boolean;
  /** Whether it begins with `*`. */
  readonly isAll: boolean;
  readonly items: readonly ProjectionItem[];
  readonly order: readonly OrderItem[];
  readonly skip: Expression | undefined;
  readonly limit: Expression | undefined;
  /** Condition of WITH; RETURN has none. */
  readonly where: Expression | undefined;
}

export interface ProjectionItem extends Node {
  readonly expression: Expression;
  /** The alias, or the text of the expression. */
  readonly name: string;
  readonly hasAlias: boolean;
}

export interface OrderItem extends Node {
  readonly expression: Expression;
  readonly isDescending: boolean;
}

export interface CreateClause extends Node {
  readonly kind: 'create';
  readonly patterns: readonly PathPattern[];
}

export interface MergeClause extends Node {
  readonly kind: 'merge';
  readonly pattern: PathPattern;
  readonly onCreate: readonly SetItem[];
  readonly onMatch: readonly SetItem[];
}

export interface SetClause extends Node {
  readonly kind: 'set';
  readonly items: readonly SetItem[];
}

/** `n.key` or `n[key]`. */
export type PropertyTarget = PropertyExpression | IndexExpression;

export interface LabelsItem extends Node {
  readonly kind: 'labels';
  readonly variable: Name;
  readonly labels: readonly PlainLabel[];
}

export type SetItem =
  | (Node & { readonly kind: 'property'; readonly target: PropertyTarget; readonly value: Expression })
  | (Node & { readonly kind: 'replace' | 'add'; readonly variable: Name; readonly value: Expression })
  | LabelsItem;

export interface RemoveClause extends Node {
  readonly kind: 'remove';
  readonly items: readonly RemoveItem[];
}

export type RemoveItem = (Node & { readonly kind: 'property'; readonly target: PropertyTarget }) | LabelsItem;

export interface DeleteClause extends Node {
  readonly kind: 'delete';
  readonly isDetach: boolean;
  readonly targets: readonly Expression[];
}

export interface ForeachClause extends Node {
  readonly kind: 'foreach';
  readonly variable: Name;
  readonly list: Expression;
  readonly updates: readonly Clause[];
}

/** `CALL name(args) YIELD …` */
export interface CallClause extends Node {
  readonly kind: 'call';
  readonly isOptional: boolean;
  readonly procedure: Name;
  /** Undefined when the parentheses are left out: arguments come from parameters. */
  readonly args: readonly Expression[] | undefined;
  /** Undefined without YIELD; `'*'` for all. */
  readonly yields: readonly YieldItem[] | '*' | undefined;
  readonly where: Expression | undefined;
}

export interface YieldItem {
  readonly field: Name;
  readonly variable: Name;
}

/** `CALL { … }` and `CALL (a, b) { … }` */
export interface SubqueryClause extends Node {
  readonly kind: 'subquery';
  readonly isOptional: boolean;
  /** Undefined without a list: the query imports by a first WITH. */
  readonly imports: readonly Name[] | '*' | undefined;
  readonly query: Query;
  /** IN TRANSACTIONS; undefined without. */
  readonly transactions: TransactionsOf | undefined;
}

/** `IN TRANSACTIONS OF n ROWS ON ERROR CONTINUE REPORT STATUS AS s` */
export interface TransactionsOf {
  readonly rows: Expression | undefined;
  readonly onError: 'fail' | 'continue' | 'break';
  readonly status: Name | undefined;
}

/** The end of a query that has no result. */
export interface FinishClause extends Node {
  readonly kind: 'finish';
}

/** A command on an index or a constraint; the only clause of its statement. */
export interface SchemaClause extends Node {
  readonly kind: 'schema';
  readonly command: SchemaCommand;
}

// --- patterns ---------------------------------------------------------------------------------------------

export interface PathPattern extends Node {
  readonly variable: Name | undefined;
  /** shortestPath(…) and allShortestPaths(…). */
  readonly shortest: 'one' | 'all' | undefined;
  /** Of a pattern in MATCH: which of the paths of each pair of ends; undefined for all. */
  readonly selector?: PathSelector | undefined;
  /** Of a pattern in parentheses after a selector: a condition on the paths that it chooses from. */
  readonly where?: Expression | undefined;
  /** A node, then a relationship and a node, and so on. */
  readonly nodes: readonly NodePattern[];
  readonly links: readonly LinkPattern[];
}

/** `SHORTEST 2`, `ALL SHORTEST`, `ANY`, `SHORTEST 2 GROUPS` */
export interface PathSelector extends Node {
  /** Paths of each pair of ends, the shortest first; or the lengths of which all paths are wanted. */
  readonly count: number;
  readonly isOfGroups: boolean;
}

export interface NodePattern extends Node {
  readonly variable: Name | undefined;
  readonly labels: LabelExpression | undefined;
  readonly properties: Expression | undefined;
  readonly where: Expression | undefined;
}

/** Seen from the node on its left. */
export type LinkDirection = 'out' | 'in' | 'any';

export interface LinkPattern extends Node {
  readonly variable: Name | undefined;
  readonly types: LabelExpression | undefined;
  readonly direction: LinkDirection;
  /** Undefined for a single relationship. */
  readonly range: HopRange | undefined;
  readonly properties: Expression | undefined;
  readonly where: Expression | undefined;
  /** Of a quantified path pattern: what is repeated `range` times from the left node to the right one. */
  readonly group?: RepeatedPath | undefined;
}

/** `((a)-[r]->(b) WHERE condition){1,3}`, without the quantifier. */
export interface RepeatedPath {
  readonly path: PathPattern;
  readonly where: Expression | undefined;
}

export interface HopRange {
  readonly min: number;
  /** Undefined: no bound. */
  readonly max: number | undefined;
}

/** `$(…)` and `$all(…)`, or `$any(…)`: labels or types by a text, or a list of texts. */
export interface DynamicLabel extends Node {
  readonly kind: 'dynamic';
  readonly isAny: boolean;
  readonly names: Expression;
}

/** What a new node, SET and REMOVE have. */
export type PlainLabel = (Node & { readonly kind: 'label'; readonly name: string }) | DynamicLabel;

/** A condition on the labels of a node or on the type of a relationship. */
export type LabelExpression =
  | PlainLabel
  | (Node & { readonly kind: 'any' })
  | (Node & { readonly kind: 'not'; readonly item: LabelExpression })
  | (Node & { readonly kind: 'and' | 'or'; readonly items: readonly LabelExpression[] });

// --- expressions ------------------------------------------------------------------------------------------

export type Expression =
  | LiteralExpression
  | ParameterExpression
  | VariableExpression
  | PropertyExpression
  | IndexExpression
  | SliceExpression
  | ListExpression
  | MapExpression
  | MapProjection
  | UnaryExpression
  | BinaryExpression
  | ComparisonExpression
  | NullTest
  | TypeTest
  | NormalTest
  | LabelTest
  | CallExpression
  | CaseExpression
  | ListComprehension
  | PatternComprehension
  | QuantifierExpression
  | ReduceExpression
  | PatternExpression
  | SubqueryExpression;

/** An integer is a bigint, a float a number. */
export interface LiteralExpression extends Node {
  readonly kind: 'literal';
  readonly value: string | number | bigint | boolean | null;
}

export interface ParameterExpression extends Node {
  readonly kind: 'parameter';
  readonly name: string;
}

export interface VariableExpression extends Node {
  readonly kind: 'variable';
  readonly name: string;
}

export interface PropertyExpression extends Node {
  readonly kind: 'property';
  readonly subject: Expression;
  readonly key: string;
}

export interface IndexExpression extends Node {
  readonly kind: 'index';
  readonly subject: Expression;
  readonly index: Expression;
}

export interface SliceExpression extends Node {
  readonly kind: 'slice';
  readonly subject: Expression;
  readonly from: Expression | undefined;
  readonly to: Expression | undefined;
}

export interface ListExpression extends Node {
  readonly kind: 'list';
  readonly items: readonly Expression[];
}

export interface MapExpression extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly key: string;
  readonly value: Expression;
}

/** `n {.name, .*, key: value, other}` */
export interface MapProjection extends Node {
  readonly kind: 'projection';
  readonly variable: VariableExpression;
  readonly hasAll: boolean;
  readonly entries: readonly MapEntry[];
}

export interface UnaryExpression extends Node {
  readonly kind: 'unary';
  readonly operator: 'not' | '-' | '+';
  readonly operand: Expression;
}

export type BinaryOperator =
  | 'or'
  | 'xor'
  | 'and'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '^'
  | '||'
  | 'in'
  | 'starts with'
  | 'ends with'
  | 'contains'
  | '=~';

export interface BinaryExpression extends Node {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** `a < b < c` is `a < b AND b < c`. */
export interface ComparisonExpression extends Node {
  readonly kind: 'comparison';
  readonly first: Expression;
  readonly rest: readonly { readonly operator: ComparisonOperator; readonly operand: Expression }[];
}

export interface NullTest extends Node {
  readonly kind: 'null-test';
  readonly operand: Expression;
  readonly isNegated: boolean;
}

/** `IS [NOT] :: TYPE` */
export interface TypeTest extends Node {
  readonly kind: 'type-test';
  readonly operand: Expression;
  readonly type: ValueType;
  readonly isNegated: boolean;
}

/** Whether a text is in a normal form of Unicode. */
export interface NormalForm {
  readonly form: string;
  readonly isNegated: boolean;
}

/** `IS [NOT] [NFD] NORMALIZED` */
export interface NormalTest extends Node, NormalForm {
  readonly kind: 'normal-test';
  readonly operand: Expression;
}

export interface LabelTest extends Node {
  readonly kind: 'label-test';
  readonly operand: Expression;
  readonly labels: LabelExpression;
}

export interface CallExpression extends Node {
  readonly kind: 'call';
  /** Name of the function as written, with dots. */
  readonly name: string;
  readonly isDistinct: boolean;
  /** The arguments; `'*'` in `count(*)`. */
  readonly args: readonly Expression[] | '*';
}

export interface CaseExpression extends Node {
  readonly kind: 'case';
  readonly subject: Expression | undefined;
  readonly branches: readonly CaseBranch[];
  readonly otherwise: Expression | undefined;
}

/** One of the tests is enough. */
export interface CaseBranch {
  readonly tests: readonly CaseTest[];
  readonly then: Expression;
}

/** A condition, where there is no subject; else a test of it. */
export type CaseTest =
  | { readonly kind: 'condition'; readonly value: Expression }
  | {
      readonly kind: 'operator';
      readonly operator: ComparisonOperator | 'starts with' | 'ends with' | '=~';
      readonly value: Expression;
    }
  | { readonly kind: 'null'; readonly isNegated: boolean }
  | { readonly kind: 'type'; readonly type: ValueType; readonly isNegated: boolean }
  | (NormalForm & { readonly kind: 'normal' });

export interface ListComprehension extends Node {
  readonly kind: 'list-comprehension';
  readonly variable: Name;
  readonly list: Expression;
  readonly where: Expression | undefined;
  readonly result: Expression | undefined;
}

export interface PatternComprehension extends Node {
  readonly kind: 'pattern-comprehension';
  readonly pattern: PathPattern;
  readonly where: Expression | undefined;
  readonly result: Expression;
}

export interface QuantifierExpression extends Node {
  readonly kind: 'quantifier';
  readonly quantifier: 'all' | 'any' | 'none' | 'single';
  readonly variable: Name;
  readonly list: Expression;
  readonly where: Expression;
}

export interface ReduceExpression extends Node {
  readonly kind: 'reduce';
  readonly accumulator: Name;
  readonly initial: Expression;
  readonly variable: Name;
  readonly list: Expression;
  readonly result: Expression;
}

/** Whether the pattern exists; with `shortest`, the path or paths themselves. */
export interface PatternExpression extends Node {
  readonly kind: 'pattern';
  readonly pattern: PathPattern;
}

/** `EXISTS { … }`, `COUNT { … }`, `COLLECT { … }` */
export interface SubqueryExpression extends Node {
  readonly kind: 'subquery';
  readonly form: 'exists' | 'count' | 'collect';
  readonly query: Query;
}
