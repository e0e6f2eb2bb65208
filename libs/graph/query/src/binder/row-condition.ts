/** Operands allowed in conditions of WITH and WHERE. */
import type { Comparison, Expression, FieldRef, Linked, Name, Operand } from '../ast/ast.ts';
import { quote } from '../syntax/fault.ts';
import type {
  BoundIdentity,
  BoundLinked,
  BoundNode,
  FieldOperand,
  RowExpression,
  RowOperand,
} from './bound-query.ts';
import { bindCondition, type Operands } from './condition.ts';
import { distinct } from './distinct.ts';
import { elementOf, fieldOf, type Scope } from './scope.ts';

/**
 * WITH: the fields of its own element, bare, by its own alias or by its class; `tag.Name` is a property of
 * that name.
 */
export function bindWith(
  scope: Scope,
  { element, names }: Pick<BoundNode, 'element' | 'names'>,
  expression: Expression,
): RowExpression {
  const isOwnClass = ({ text }: Name): boolean => names !== '*' && names.some((name) => name.text === text);
  const left = (operand: Operand): FieldOperand => {
    const { alias, ...ref } = refOf(scope, operand);
    if (alias === undefined) return fieldOf(element, ref);
    if (scope.mayBeProperty(alias)) return fieldOf(element, dottedRef(alias, ref));
    const aliased = scope.find(alias.text);
    if (aliased === undefined && isOwnClass(alias)) return fieldOf(element, ref);
    const isOther = aliased === undefined && scope.isClass(alias.text);
    if (!isOther && scope.aliased(alias, ref.field.text).element === element) return fieldOf(element, ref);
    const hint = `write conditions on ${quote(alias.text)} in its own WITH, or in WHERE`;
    throw scope.fault(ref.span, 'a condition in WITH can refer to its own element only', { hint });
  };
  const value = (ref: FieldRef): FieldOperand => {
    throw scope.fault(ref.span, 'a field stands as a value in WHERE only');
  };
  return bindCondition<FieldOperand, RowOperand>(scope, { left, any: left, value }, expression);
}

/** WHERE: every reference is `alias.field`, or an alias alone where a whole element is allowed. */
export function bindWhere(scope: Scope, expression: Expression): RowExpression {
  return bindCondition<FieldOperand, RowOperand>(scope, new WhereOperands(scope), expression);
}

class WhereOperands implements Operands<FieldOperand, RowOperand> {
  readonly #scope: Scope;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  left(operand: Operand): FieldOperand {
    return this.#field(refOf(this.#scope, operand), 'in WHERE every field needs its alias');
  }

  value(ref: FieldRef): FieldOperand {
    return this.#field(
      ref,
      'an unquoted word is not a value',
      `, and a string in quotes: '${ref.field.text}'`,
    );
  }

  any(operand: Operand): RowOperand {
    const ref = refOf(this.#scope, operand);
    const aliased = this.#wholeElement(ref);
    return aliased === undefined ? this.left(ref) : elementOf(aliased, ref.span);
  }

  identity({ left, operator, right, span }: Comparison): BoundIdentity | undefined {
    if (left.kind !== 'ref' || right.kind !== 'ref') return undefined;
    const one = this.#wholeElement(left);
    const other = this.#wholeElement(right);
    if (one === undefined || other === undefined) return undefined;
    if (operator !== '=' && operator !== '!=') {
      throw this.#scope.fault(span, 'elements can be compared with = and != only');
    }
    const [a, b] = [left.field, right.field];
    if (this.#kind(a) !== this.#kind(b)) {
      throw this.#scope.fault(right.span, `${quote(a.text)} and ${quote(b.text)} differ in kind`);
    }
    return { kind: 'same', left: one, right: other, negated: operator === '!=', span };
  }

  linked({ left, verbs, direction, right, span }: Linked): BoundLinked {
    const [from, to] = [this.#node(left), this.#node(right)];
    const names = distinct(verbs.names, (verb) => verb.toUpperCase());
    return { kind: 'linked', left: from, verbs: names, direction, right: to, span };
  }

  #node(alias: Name): number {
    const { element, kind } = this.#scope.aliased(alias);
    if (kind === 'node') return element;
    throw this.#scope.fault(alias.span, `${quote(alias.text)} is a relationship, and has none of its own`);
  }

  #kind(alias: Name): string | undefined {
    return this.#scope.find(alias.text)?.kind;
  }

  #wholeElement(ref: FieldRef): number | undefined {
    return ref.alias === undefined ? this.#scope.find(ref.field.text)?.element : undefined;
  }

  #field(ref: FieldRef, message: string, orElse = ''): FieldOperand {
    if (ref.alias !== undefined) return this.#scope.field(ref.alias, ref);
    const name = ref.field.text;
    if (this.#wholeElement(ref) === undefined) {
      const hint = `a field is written ${this.#scope.qualified(name)}${orElse}`;
      throw this.#scope.fault(ref.span, message, { hint });
    }
    const hint = `name one of its fields: ${name}.display_name`;
    throw this.#scope.fault(ref.span, `${quote(name)} is an element, not a field`, { hint });
  }
}

/** `tag.Name`, the property of that name. */
function dottedRef({ text, span }: Name, { kind, field, span: whole }: FieldRef): FieldRef {
  return { kind, span: whole, field: { text: `${text}.${field.text}`, span } };
}

/** The grammar has no aggregates outside HAVING, RETURN and ORDER BY. */
function refOf(scope: Scope, operand: Operand): FieldRef {
  if (operand.kind === 'ref') return operand;
  throw scope.fault(operand.span, 'an aggregate is allowed in HAVING, RETURN and ORDER BY only');
}
