/** Functions of lists, of texts as lists, and of any value. */
import { contains } from '../value/equality.ts';
import { valueTypeText } from '../value/value-type.ts';
import { runtimeFault } from '../syntax/fault.ts';
import { isList, isMap, typeName, type Value } from '../value/value.ts';
import type { Run } from '../graph/run.ts';
import { asList, charactersOf, type FunctionTable, requireRoom, unary, wrongType } from './function.ts';

export const LIST_FUNCTIONS: FunctionTable = {
  size: unary((value, run) => {
    if (typeof value === 'string') return BigInt(charactersOf(run, value).length);
    return BigInt(asList('size', value).length);
  }),
  head: unary((value) => asList('head', value)[0] ?? null),
  last: unary((value) => asList('last', value).at(-1) ?? null),
  tail: unary((value) => asList('tail', value).slice(1)),
  reverse: unary((value, run) => {
    if (typeof value === 'string') return charactersOf(run, value).toReversed().join('');
    return asList('reverse', value).toReversed();
  }),
  range: {
    min: 2,
    max: 3,
    takesNull: true,
    apply: ([from, to, step = 1n], run) => range({ from, to, step }, run),
  },
  isEmpty: unary((value) => {
    if (typeof value === 'string' || isList(value)) return value.length === 0;
    if (isMap(value)) return value.size === 0;
    throw wrongType('isEmpty', 'a List, a Map or a String', value);
  }),
  coalesce: {
    min: 1,
    max: Infinity,
    takesNull: true,
    apply: (values) => values.find((value) => value !== null) ?? null,
  },
  valueType: {
    min: 1,
    max: 1,
    takesNull: true,
    apply: ([value = null]) => valueTypeText(value),
  },
  nullIf: {
    min: 2,
    max: 2,
    takesNull: true,
    apply: ([value = null, other = null]) => (contains([value], other) === true ? null : value),
  },
};

function range({ from, to, step }: Record<'from' | 'to' | 'step', Value | undefined>, run: Run): Value {
  const [first, last, by] = [from, to, step].map(integerIn);
  if (first === undefined || last === undefined || by === undefined) return null;
  if (by === 0n) throw runtimeFault('NumberOutOfRange', ARGUMENT_ERROR, 'range(): the step is not 0');
  const isEmpty = by > 0n ? first > last : first < last;
  const count = isEmpty ? 0 : Number((last - first) / by) + 1;
  requireRoom(run, count);
  return Array.from({ length: count }, (_, index) => first + BigInt(index) * by);
}

const ARGUMENT_ERROR = 'Neo.ClientError.Statement.ArgumentError';

function integerIn(value: Value | undefined): bigint {
  if (typeof value === 'bigint') return value;
  const message = `range(): expected an Integer, got ${typeName(value ?? null)}`;
  throw runtimeFault('InvalidArgumentType', ARGUMENT_ERROR, message);
}
