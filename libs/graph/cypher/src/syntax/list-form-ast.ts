/** The syntax tree of forms that bind a variable for each element of a list or each match of a pattern. */
import type { Expression, Name, Node, PathPattern } from './ast.ts';

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
