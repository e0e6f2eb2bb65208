/** Conditions that compare two values of one row: the same semantics as with a constant on the right. */
import type { FieldValue } from '#graph/model';
import type { ComparisonOperator, TextOperator } from '../ast/ast.ts';
import type { TextWork } from '../value/text-work.ts';
import {
  containsTest,
  endsWithTest,
  equalsTest,
  orderTest,
  startsWithTest,
  type Comparand,
} from '../value/value-test.ts';
import type { Condition } from '#graph/execution';
import { asTime, isTimeField } from './constants.ts';

export type PositiveOperator = Exclude<ComparisonOperator, '!='>;

/** `=` is also true if either side is a list that contains the other, or if both are equal lists. */
export function pairOf<Operand extends { readonly field?: string }>(
  left: Operand,
  operator: PositiveOperator,
  right: Operand,
): Condition<Operand> {
  const isTime = [left.field, right.field].some((field) => field !== undefined && isTimeField(field));
  const holds = operator === '=' ? equalPair(isTime) : orderPair(operator, isTime);
  return { kind: 'pair', left, right, holds };
}

/** CONTAINS, STARTS WITH and ENDS WITH; the parser does not accept a pattern from a field. */
export function textPairOf<Operand>(
  left: Operand,
  operator: TextOperator,
  right: Operand,
  work: TextWork,
): Condition<Operand> {
  work.use();
  const make =
    operator === 'starts_with' ? startsWithTest : operator === 'ends_with' ? endsWithTest : undefined;
  const holds = (value: FieldValue, part: FieldValue): boolean => {
    if (!isScalar(part)) return false;
    if (make === undefined) return containsTest(part, work).matches(value);
    return typeof part === 'string' && make(part).matches(value);
  };
  return { kind: 'pair', left, right, holds };
}

function equalPair(isTime: boolean): (left: FieldValue, right: FieldValue) => boolean {
  return (left, right) => {
    if (isScalar(right)) return equalsTest([comparandOf(right, isTime)]).matches(left);
    if (isScalar(left)) return equalsTest([comparandOf(left, isTime)]).matches(right);
    return Array.isArray(left) && Array.isArray(right) && JSON.stringify(left) === JSON.stringify(right);
  };
}

function orderPair(operator: '<' | '<=' | '>' | '>=', isTime: boolean) {
  return (left: FieldValue, right: FieldValue): boolean =>
    isScalar(right) && orderTest(operator, comparandOf(right, isTime)).matches(left);
}

function comparandOf(value: string | number | boolean, isTime: boolean): Comparand {
  return isTime ? asTime(value) : value;
}

function isScalar(value: FieldValue): value is string | number | boolean {
  return value !== undefined && value !== null && !Array.isArray(value);
}
