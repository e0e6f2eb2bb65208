/** Functions of lists, of texts as lists, and of any value. */
import { contains } from '../value/equality.ts';
import { valueTypeText } from '../value/value-type.ts';
import { isList, isMap, type Value } from '../value/value.ts';
import type { Run } from '../graph/run.ts';
import { asInteger, asList, type FunctionTable, unary, wrongType, wrongValue } from './function.ts';

/** Longest list that a function makes. */
const RANGE_MAX = 10_000_000;

export const LIST_FUNCTIONS: FunctionTable = {
  size: unary((value) => {
    if (typeof value === 'string') return BigInt(Array.from(value).length);
    return BigInt(asList('size', value).length);
  }),
  head: unary((value) => asList('head', value)[0] ?? null),
  last: unary((value) => asList('last', value).at(-1) ?? null),
  tail: unary((value) => asList('tail', value).slice(1)),
  reverse: unary((value) => {
    if (typeof value === 'string') return Array.from(value).reverse().join('');
    return asList('reverse', value).toReversed();
  }),
  range: {
    min: 2,
    max: 3,
    takesNull: true,
    apply: ([from, to, step], run) => range({ from, to, step: step ?? 1n }, run),
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
  const [first, last, by] = [asInteger('range', from), asInteger('range', to), asInteger('range', step)];
  if (by === 0) throw wrongValue('range(): the step is not 0');
  const count = Math.max(0, Math.floor((last - first) / by) + 1);
  if (count > RANGE_MAX) throw wrongValue(`range(): expected at most ${RANGE_MAX} values, got ${count}`);
  run.hold(count);
  return Array.from({ length: count }, (_, index) => BigInt(first + index * by));
}
