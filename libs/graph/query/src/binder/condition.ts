import type {
  AndOr,
  Comparison,
  Expression,
  FieldRef,
  Linked,
  Membership,
  Operand,
  Parameter,
  Value,
} from '../ast/ast.ts';
import type {
  BoundExpression,
  BoundIdentity,
  BoundLinked,
  BoundMembership,
  Constant,
} from './bound-query.ts';
import type { Scope } from './scope.ts';

/** Resolves the operands of conditions in one place (WITH, WHERE, HAVING); rejects meaningless ones. */
export interface Operands<Left, Any> {
  /** A compared operand. */
  left(operand: Operand): Left;
  /** An operand of EXISTS. */
  any(operand: Operand): Any;
  /** A field used as a value. */
  value(ref: FieldRef): Left;
  /** A comparison between two whole elements. */
  identity?(comparison: Comparison): BoundIdentity | undefined;
  /** A relationship between two aliases; the grammar allows it in WHERE only. */
  linked?(linked: Linked): BoundLinked;
}

/** Resolves the names of a condition. */
export function bindCondition<Left, Any>(
  scope: Scope,
  operands: Operands<Left, Any>,
  expression: Expression,
): BoundExpression<Left, Any> {
  return new ConditionBinder(scope, operands).bind(expression);
}

const MIXED = 'AND binds more tightly than OR: add parentheses to make the order clear';

class ConditionBinder<Left, Any> {
  readonly #scope: Scope;
  readonly #operands: Operands<Left, Any>;

  constructor(scope: Scope, operands: Operands<Left, Any>) {
    this.#scope = scope;
    this.#operands = operands;
  }

  bind(expression: Expression): BoundExpression<Left, Any> {
    return Object.freeze(this.#bind(expression));
  }

  #bind(expression: Expression): BoundExpression<Left, Any> {
    switch (expression.kind) {
      case 'and':
      case 'or':
        return this.#andOr(expression);
      case 'not':
        return { kind: 'not', item: this.bind(expression.item) };
      case 'compare':
        return this.#comparison(expression);
      case 'exists':
        return { ...expression, left: this.#operands.any(expression.left) };
      case 'in':
        return this.#membership(expression);
      case 'text': {
        const left = this.#operands.left(expression.left);
        return { ...expression, left, right: this.#value(expression.right) };
      }
      case 'between': {
        const left = this.#operands.left(expression.left);
        return { ...expression, left, low: this.#value(expression.low), high: this.#value(expression.high) };
      }
      case 'linked':
        return this.#linked(expression);
    }
  }

  #andOr({ kind, items, mixed, span }: AndOr): BoundExpression<Left, Any> {
    if (mixed === true) {
      this.#scope.warnings.push(
        Object.freeze({ code: 'MIXED_AND_OR', message: MIXED, position: span.start }),
      );
    }
    return { kind, items: Object.freeze(items.map((item) => this.bind(item))) };
  }

  #comparison(comparison: Comparison): BoundExpression<Left, Any> {
    const { left, right, span } = comparison;
    const negated = nullTest(comparison);
    if (negated !== undefined) return { kind: 'exists', left: this.#operands.any(left), negated, span };
    const identity = this.#operands.identity?.(comparison);
    return identity ?? { ...comparison, left: this.#operands.left(left), right: this.#value(right) };
  }

  #linked(linked: Linked): BoundLinked {
    const bound = this.#operands.linked?.(linked);
    if (bound === undefined) throw this.#scope.fault(linked.span, 'two aliases are spoken of in WHERE only');
    return bound;
  }

  #membership(membership: Membership): BoundMembership<Left> {
    const left = this.#operands.left(membership.left);
    return { ...membership, left, values: this.#values(membership.values) };
  }

  #values(values: readonly Value[] | Parameter): readonly (Constant | Left)[] | Parameter {
    if (!('kind' in values)) return Object.freeze(values.map((value) => this.#value(value)));
    this.#scope.note(values);
    return values;
  }

  #value(value: Value): Constant | Left {
    if (value.kind === 'ref') return this.#operands.value(value);
    if (value.kind === 'parameter') this.#scope.note(value);
    return value;
  }
}

/** Whether `= null` or `!= null` tests for absence; undefined for any other comparison. */
function nullTest({ operator, right }: Comparison): boolean | undefined {
  if (right.kind !== 'literal' || right.value !== null) return undefined;
  return operator === '=' ? true : operator === '!=' ? false : undefined;
}
