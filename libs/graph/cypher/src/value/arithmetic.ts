/** `+`, `-`, `*`, `/`, `%`, `^` and signs. Integers have 64 bits: an overflow is an error, never a float. */
import { runtimeFault } from '../syntax/fault.ts';
import { later } from './temporal/arithmetic.ts';
import { addDurations, negated, scaled } from './temporal/duration.ts';
import { DurationValue, isInstant } from './temporal/temporal.ts';
import { isList, isNumber, typeName, type Value } from './value.ts';

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%' | '^' | '||';

const INTEGER_MAX = 2n ** 63n - 1n;
const INTEGER_MIN = -(2n ** 63n);

export function calculate(operator: ArithmeticOperator, left: Value, right: Value): Value {
  if (operator === '+' || operator === '||') {
    const joined = join(left, right);
    if (joined !== undefined) return joined;
  }
  if (left === null || right === null) return null;
  const moved = withDuration(operator, left, right);
  if (moved !== undefined) return moved;
  if (!isNumber(left) || !isNumber(right)) throw mismatch(operator, left, right);
  if (typeof left === 'bigint' && typeof right === 'bigint' && operator !== '^') {
    return checked(ofIntegers(operator, left, right));
  }
  return ofFloats(operator, Number(left), Number(right));
}

/** Lists and texts; undefined for other values. */
function join(left: Value, right: Value): Value | undefined {
  if (left === null || right === null) return null;
  if (isList(left)) return isList(right) ? [...left, ...right] : [...left, right];
  if (isList(right)) return [left, ...right];
  if (typeof left !== 'string' && typeof right !== 'string') return undefined;
  return isTextual(left) && isTextual(right) ? textOf(left) + textOf(right) : undefined;
}

/** Moments and durations; undefined for other values. */
function withDuration(operator: ArithmeticOperator, left: Value, right: Value): Value | undefined {
  if (operator === '*' || operator === '/') return product(operator, left, right);
  return operator === '+' || operator === '-' ? sum(operator, left, right) : undefined;
}

function sum(operator: '+' | '-', left: Value, right: Value): Value | undefined {
  if (!(right instanceof DurationValue)) {
    const isLater = operator === '+' && left instanceof DurationValue && isInstant(right);
    return isLater ? later(right, left) : undefined;
  }
  if (left instanceof DurationValue) return addDurations(left, right, operator === '+' ? 1n : -1n);
  return isInstant(left) ? later(left, operator === '+' ? right : negated(right)) : undefined;
}

function product(operator: '*' | '/', left: Value, right: Value): Value | undefined {
  if (left instanceof DurationValue && isNumber(right)) return scaled(left, right, operator === '/');
  const isSwapped = operator === '*' && isNumber(left) && right instanceof DurationValue;
  return isSwapped ? scaled(right, left, false) : undefined;
}

function isTextual(value: Value): value is string | number | bigint {
  return typeof value === 'string' || isNumber(value);
}

function ofIntegers(operator: ArithmeticOperator, left: bigint, right: bigint): bigint {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    default:
      if (right === 0n) throw arithmeticFault('division by zero');
      return operator === '/' ? left / right : left % right;
  }
}

function ofFloats(operator: ArithmeticOperator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    default:
      return left ** right;
  }
}

export function negate(value: Value): Value {
  if (value === null) return null;
  if (typeof value === 'bigint') return checked(-value);
  if (typeof value === 'number') return -value;
  throw typeFault(`expected a number after -, got ${typeName(value)}`);
}

/** Of digits after an optional minus; beyond 64 bits any other, since long ones take long to read. */
export function integerOf(digits: string): bigint {
  const isNegative = digits.startsWith('-');
  const first = digits.search(/[1-9]/);
  if (first < 0) return 0n;
  // Also for a minus before it, -2^63 - 1 is beyond.
  if (digits.length - first > DIGITS_MAX) return (INTEGER_MAX + 2n) * (isNegative ? -1n : 1n);
  return BigInt(digits.slice(first)) * (isNegative ? -1n : 1n);
}

const DIGITS_MAX = 19;

/** An integer of 64 bits, or a fault. */
export function checked(value: bigint): bigint {
  if (value <= INTEGER_MAX && value >= INTEGER_MIN) return value;
  throw arithmeticFault('integer overflow: the result is beyond 64 bits');
}

/** A number as text: a float shows that it is one. */
export function textOf(value: string | number | bigint): string {
  if (typeof value !== 'number') return String(value);
  if (Object.is(value, -0)) return '-0.0';
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return value.toFixed(1);
  return floatText(value);
}

/** Writes a float as Java does: `1.0E10`. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e7) return String(value);
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const digits = mantissa.includes('.') ? mantissa : `${mantissa}.0`;
  return `${digits}E${exponent.replace('+', '')}`;
}

function mismatch(operator: string, left: Value, right: Value): Error {
  return typeFault(`${operator} does not apply to ${typeName(left)} and ${typeName(right)}`);
}

export function typeFault(message: string): Error {
  return runtimeFault('InvalidArgumentType', 'Neo.ClientError.Statement.TypeError', message);
}

function arithmeticFault(message: string): Error {
  return runtimeFault('NumberOutOfRange', 'Neo.ClientError.Statement.ArithmeticError', message);
}
