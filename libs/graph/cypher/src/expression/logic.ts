/** Truth with three values, as Kleene defined it. */
import { typeFault } from '../value/arithmetic.ts';
import type { Truth } from '../value/equality.ts';
import { typeName, type Value } from '../value/value.ts';

/** Throws a type error for what is neither true, false nor null. */
export function truthOf(value: Value): Truth {
  if (value === null || typeof value === 'boolean') return value;
  throw typeFault(`expected a Boolean, got ${typeName(value)}`);
}

export function not(value: Value): Truth {
  const truth = truthOf(value);
  return truth === null ? null : !truth;
}

export function xor(left: Value, right: Value): Truth {
  const [a, b] = [truthOf(left), truthOf(right)];
  return a === null || b === null ? null : a !== b;
}
