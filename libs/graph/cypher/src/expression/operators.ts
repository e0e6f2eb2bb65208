import type { BinaryOperator, ComparisonOperator } from '../syntax/ast.ts';
import { calculate, negate, typeFault } from '../value/arithmetic.ts';
import { equal, type Truth } from '../value/equality.ts';
import { compareComparable } from '../value/order.ts';
import { hasText } from '../function/text-search.ts';
import { isList, isNumber, typeName, type Value } from '../value/value.ts';
import type { Run } from '../graph/run.ts';
import { isElement } from './list-element.ts';
import { truthOf, xor } from './logic.ts';
import { matchesPattern } from './regular-expression.ts';

/** The right side is evaluated unless the left one decides. */
export function applyBinary(operator: BinaryOperator, left: Value, right: () => Value, run: Run): Value {
  switch (operator) {
    case 'and':
      return and(truthOf(left), right);
    case 'or':
      return or(truthOf(left), right);
    case 'xor':
      return xor(left, right());
    case 'in':
      return isIn(left, right(), run);
    case '=~':
    case 'starts with':
    case 'ends with':
    case 'contains':
      return testText(operator, left, right(), run);
    default:
      return calculate(operator, left, right());
  }
}

function and(left: Truth, right: () => Value): Truth {
  if (left === false) return false;
  const truth = truthOf(right());
  return truth === false ? false : left === null ? null : truth;
}

function or(left: Truth, right: () => Value): Truth {
  if (left === true) return true;
  const truth = truthOf(right());
  return truth === true ? true : left === null ? null : truth;
}

function isIn(value: Value, list: Value, run: Run): Truth {
  if (list === null) return null;
  if (isList(list)) return isElement(value, list, run);
  throw typeFault(`expected a List after IN, got ${typeName(list)}`);
}

/** Null for what is no text. */
function testText(
  operator: '=~' | 'starts with' | 'ends with' | 'contains',
  left: Value,
  right: Value,
  run: Run,
): Truth {
  if (typeof left !== 'string' || typeof right !== 'string') return null;
  switch (operator) {
    case 'starts with':
      return left.startsWith(right);
    case 'ends with':
      return left.endsWith(right);
    case 'contains':
      return hasText(left, right, run);
    case '=~':
      return matchesPattern(left, right, run);
  }
}

export function applyUnary(operator: '-' | '+', value: Value): Value {
  if (operator === '-') return negate(value);
  if (value === null || isNumber(value)) return value;
  throw typeFault(`expected a number after +, got ${typeName(value)}`);
}

export function compareBy(operator: ComparisonOperator, left: Value, right: Value): Truth {
  if (operator === '=' || operator === '<>') {
    const truth = equal(left, right);
    return truth === null || operator === '=' ? truth : !truth;
  }
  const order = compareComparable(left, right);
  if (order === undefined) return null;
  if (Number.isNaN(order)) return false;
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}
