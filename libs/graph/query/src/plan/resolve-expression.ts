/**
 * Substitutes the constants of a run into a bound expression. Each comparison of a field with a constant also
 * yields a *kind check*: the kinds of values for which it can be true, from which TYPE_MISMATCH is derived by
 * statistics alone.
 */
import type { ValueKind } from '#graph/model';
import { DomainError } from '#platform/foundation';
import type { Span, TextOperator } from '../ast/ast.ts';
import type {
  BoundBetween,
  BoundComparison,
  BoundExpression,
  BoundMembership,
  BoundTextMatch,
  Constant,
} from '../binder/bound-query.ts';
import { compilePattern } from '../syntax/regular-expression.ts';
import { Instant } from '#graph/model';
import {
  betweenTest,
  containsTest,
  endsWithTest,
  equalsTest,
  existsTest,
  likeTest,
  orderTest,
  regexTest,
  startsWithTest,
  type Comparand,
} from '../value/value-test.ts';
import { negate, type Condition } from '#graph/execution';
import { asTime, type Constants, isTimeField } from './constants.ts';
import { isConstant } from './predicate-values.ts';
import { pairOf, textPairOf } from './value-pair.ts';

/** For each kind of a scalar, its own, and that of a list with such members. */
const MEMBER_KINDS: ReadonlyMap<ValueKind, readonly ValueKind[]> = new Map(
  (['boolean', 'number', 'string'] as const).map((kind) => [kind, [kind, `${kind}[]`]]),
);

/** A text, or a list of texts. */
const TEXT_KINDS: readonly ValueKind[] = ['string', 'string[]'];

/** Operands have a field or are something else: a whole element, a group's key or aggregate. */
export interface AnyOperand {
  readonly kind: string;
  readonly element?: number;
  readonly field?: string;
}

export interface KindCheck {
  readonly element: number;
  readonly field: string;
  /** Kinds of a field's value that the comparison accepts. */
  readonly kinds: readonly ValueKind[];
  readonly position: number;
  /** Text compared with a time that is not a valid time. */
  readonly noTime?: string;
  /** Whether a number is computed of the field, and not compared. */
  readonly isComputed?: true;
}

type Expression<Operand> = BoundExpression<Operand, Operand>;

export class ExpressionResolver<Operand extends AnyOperand> {
  readonly #constants: Constants;
  readonly #checks: KindCheck[];

  /** Kind checks are added to `checks`. */
  constructor(constants: Constants, checks: KindCheck[]) {
    this.#constants = constants;
    this.#checks = checks;
  }

  resolve(expression: Expression<Operand>): Condition<Operand> {
    switch (expression.kind) {
      case 'and':
      case 'or':
        return { kind: expression.kind, items: expression.items.map((item) => this.resolve(item)) };
      case 'not':
        return negate(this.resolve(expression.item));
      case 'exists':
        return negate({ kind: 'test', operand: expression.left, test: existsTest }, expression.negated);
      case 'same':
        return negate<Operand>(
          { kind: 'same', left: expression.left, right: expression.right },
          expression.negated,
        );
      case 'linked': {
        const { kind, left, right, direction } = expression;
        const verbs = expression.verbs === '*' ? '*' : expression.verbs.map((verb) => verb.text);
        return { kind, left, right, verbs, direction };
      }
      case 'compare':
        return this.#comparison(expression);
      case 'in':
        return negate(this.#membership(expression), expression.negated);
      case 'text':
        return negate(this.#text(expression), expression.negated);
      case 'between':
        return negate(this.#between(expression), expression.negated);
    }
  }

  #comparison({ left, operator, right, span }: BoundComparison<Operand>): Condition<Operand> {
    const isNegated = operator === '!=';
    const positive = isNegated ? '=' : operator;
    if (!isConstant(right)) return negate(pairOf(left, positive, right), isNegated);
    const value = this.#comparand(left, right);
    if (positive !== '=') {
      this.#check(left, scalarKinds([value]), span.start);
      return { kind: 'test', operand: left, test: orderTest(positive, value) };
    }
    if (value === null) return negate({ kind: 'test', operand: left, test: existsTest }, !isNegated);
    this.#check(left, memberKinds(value), span.start);
    return negate({ kind: 'test', operand: left, test: equalsTest([value]) }, isNegated);
  }

  #membership({ left, values, span }: BoundMembership<Operand>): Condition<Operand> {
    if ('kind' in values) {
      const list = this.#constants.parameters.list(values.name);
      return this.#isOneOf(
        left,
        list.map((value) => this.#timeOf(left, value, span)),
        span.start,
      );
    }
    const constants = values.filter((value) => isConstant(value));
    const pairs = values
      .filter((value): value is Operand => !isConstant(value))
      .map((value) => pairOf<Operand>(left, '=', value));
    const comparands = constants.map((value) => this.#comparand(left, value));
    if (pairs.length === 0) return this.#isOneOf(left, comparands, span.start);
    return { kind: 'or', items: [this.#isOneOf(left, comparands, span.start), ...pairs] };
  }

  #isOneOf(left: Operand, values: readonly Comparand[], position: number): Condition<Operand> {
    const kinds = new Map(values.map((value) => [String(kindsOf(value)), memberKinds(value)]));
    kinds.delete('');
    for (const accepted of kinds.values()) this.#check(left, accepted, position);
    return { kind: 'test', operand: left, test: equalsTest(values) };
  }

  #between({ left, low, high, span }: BoundBetween<Operand>): Condition<Operand> {
    if (isConstant(low) && isConstant(high)) {
      const bounds = [this.#comparand(left, low), this.#comparand(left, high)] as const;
      for (const bound of bounds) this.#check(left, scalarKinds([bound]), span.start);
      return { kind: 'test', operand: left, test: betweenTest(...bounds) };
    }
    const bound = (right: Constant | Operand, operator: '>=' | '<='): Condition<Operand> =>
      this.#comparison({ kind: 'compare', left, operator, right, span });
    return { kind: 'and', items: [bound(low, '>='), bound(high, '<=')] };
  }

  #text({ left, operator, right, span }: BoundTextMatch<Operand>): Condition<Operand> {
    const work = this.#constants.text;
    if (!isConstant(right)) return textPairOf(left, operator, right, work);
    if (operator === 'contains') {
      const part = this.#comparand(left, right, false);
      if (part !== null)
        this.#check(left, typeof part === 'string' ? TEXT_KINDS : listKinds(part), span.start);
      return { kind: 'test', operand: left, test: containsTest(part, work) };
    }
    const text = textCriterion(right, operator, this.#constants);
    this.#check(left, TEXT_KINDS, span.start);
    const tests = {
      like: () => likeTest(text, false, work),
      ilike: () => likeTest(text, true, work),
      starts_with: () => startsWithTest(text),
      ends_with: () => endsWithTest(text),
      regex: () => regexTest(text, work),
    };
    return { kind: 'test', operand: left, test: tests[operator]() };
  }

  #comparand(left: Operand, right: Constant, asInstant = true): Comparand {
    const value = this.#constants.value(right);
    return asInstant ? this.#timeOf(left, value, right.span) : value;
  }

  #timeOf({ element, field }: Operand, value: Comparand, { start }: Span): Comparand {
    if (field === undefined || !isTimeField(field)) return value;
    const time = asTime(value);
    const isNone = time instanceof Instant && Number.isNaN(time.ms) && typeof value === 'string';
    if (isNone)
      this.#checks.push({ element: element ?? 0, field, kinds: [], position: start, noTime: value });
    return time;
  }

  #check({ element, field }: Operand, kinds: readonly ValueKind[], position: number): void {
    if (element === undefined || field === undefined) return;
    this.#checks.push({ element, field, kinds, position });
  }
}

function scalarKinds(values: readonly Comparand[]): readonly ValueKind[] {
  return [...new Set(values.flatMap(kindsOf))];
}

/** The kinds of the value itself and of lists with such members. */
function memberKinds(value: Comparand): readonly ValueKind[] {
  return kindsOf(value).flatMap((kind) => MEMBER_KINDS.get(kind) ?? [kind]);
}

function listKinds(value: Comparand): readonly ValueKind[] {
  return scalarKinds([value]).map((kind) => `${kind}[]` as ValueKind);
}

/** The kinds of values that are comparable with the value; none for null. */
function kindsOf(value: Comparand): readonly ValueKind[] {
  if (value instanceof Instant) return ['string', 'number'];
  return value === null ? [] : [typeof value as ValueKind];
}

/** The pattern of LIKE, STARTS WITH, =~ …; a parameter must be a string, and for =~ a regular expression. */
function textCriterion(constant: Constant, operator: TextOperator, constants: Constants): string {
  if (constant.kind === 'parameter') {
    const text = constants.parameters.text(constant.name);
    if (operator === 'regex') requireRegex(constant.name, text);
    return text;
  }
  const value = constants.value(constant);
  if (typeof value === 'string') return value;
  throw new DomainError(
    'INVALID_REQUEST',
    `expected a string after ${operator.replace('_', ' ').toUpperCase()}`,
    {
      details: { field: 'pql', position: constant.span.start },
    },
  );
}

function requireRegex(name: string, pattern: string): void {
  const compiled = compilePattern(pattern);
  if ('expression' in compiled) return;
  throw new DomainError(
    'INVALID_REQUEST',
    `expected parameter $${name} to be a regular expression: ${compiled.fault}`,
    { details: { field: `params.${name}` } },
  );
}
