/** Functions, arithmetic and aggregates that the random queries use. */
import { plainTextFunction } from './plain-text.ts';
import {
  isPlainList,
  isPlainMap,
  isPlainNumber,
  ordered,
  type Plain,
  PlainFault,
  PlainLink,
  PlainNode,
  PlainPath,
  sameness,
} from './plain-value.ts';

/** Integers stay integers; a float makes the result one. */
export function calculated(operator: string, left: Plain, right: Plain): Plain {
  if (left === null || right === null) return null;
  if (isPlainNumber(left) && isPlainNumber(right)) return ofNumbers(operator, left, right);
  if (operator === '+' && (isPlainList(left) || isPlainList(right))) return [left, right].flat();
  if (operator === '+' && typeof left === 'string' && typeof right === 'string') return `${left}${right}`;
  throw new PlainFault('no numbers');
}

function ofNumbers(operator: string, left: bigint | number, right: bigint | number): Plain {
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    if (right === 0n && (operator === '/' || operator === '%')) throw new PlainFault('division by zero');
    return INTEGERS[operator]?.(left, right) ?? null;
  }
  return FLOATS[operator]?.(Number(left), Number(right)) ?? null;
}

const INTEGERS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};

const FLOATS: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};

export function plainFunction(name: string, args: readonly Plain[]): Plain {
  const [value = null, second = null] = args;
  if (name === 'coalesce') return args.find((each) => each !== null) ?? null;
  if (name === 'exists') return value;
  if (args.includes(null)) return null;
  if (name === 'range') return rangeOf(Number(value), Number(second));
  const text = typeof value === 'string' ? plainTextFunction(name, value, args) : undefined;
  if (text !== undefined) return text;
  const found = FUNCTIONS[name]?.(value);
  if (found === undefined) throw new PlainFault(`no ${name} of that value`);
  return found;
}

function rangeOf(from: number, to: number): Plain {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => BigInt(from + at));
}

/** Undefined for a value that the function does not take. */
const FUNCTIONS: Readonly<Record<string, (value: Plain) => Plain | undefined>> = {
  size: (value) => (isPlainList(value) ? BigInt(value.length) : undefined),
  isempty: (value) =>
    isPlainList(value) ? value.length === 0 : isPlainMap(value) ? value.size === 0 : undefined,
  reverse: (value) => (isPlainList(value) ? [...value].reverse() : undefined),
  tostring: (value) => (typeof value === 'bigint' ? String(value) : undefined),
  length: (value) => (value instanceof PlainPath ? BigInt(value.links.length) : undefined),
  nodes: (value) => (value instanceof PlainPath ? value.nodes : undefined),
  relationships: (value) => (value instanceof PlainPath ? value.links : undefined),
  startnode: (value) => (value instanceof PlainLink ? value.start : undefined),
  endnode: (value) => (value instanceof PlainLink ? value.end : undefined),
  labels: (value) => (value instanceof PlainNode ? value.labels : undefined),
  type: (value) => (value instanceof PlainLink ? value.type : undefined),
  head: (value) => (isPlainList(value) ? (value[0] ?? null) : undefined),
  last: (value) => (isPlainList(value) ? (value[value.length - 1] ?? null) : undefined),
  tail: (value) => (isPlainList(value) ? value.filter((_, at) => at > 0) : undefined),
  abs: (value) => (isPlainNumber(value) ? (value < 0 ? -value : value) : undefined),
  properties: (value) =>
    value instanceof PlainNode || value instanceof PlainLink ? value.properties : undefined,
  keys: (value) =>
    value instanceof PlainNode || value instanceof PlainLink ? [...value.properties.keys()] : undefined,
};

/** Of the values of a group, without null. */
export function aggregatedValue(name: string, values: readonly Plain[], isDistinct: boolean): Plain {
  const known = values.filter((value) => value !== null);
  const kept = isDistinct ? [...new Map(known.map((value) => [sameness(value), value])).values()] : known;
  switch (name) {
    case 'count':
      return BigInt(kept.length);
    case 'collect':
      return kept;
    case 'sum':
      return kept.reduce<Plain>((sum, value) => calculated('+', sum, value), 0n);
    case 'avg':
      return kept.length === 0 ? null : Number(aggregatedValue('sum', kept, false)) / kept.length;
    case 'min':
      return [...kept].sort(ordered)[0] ?? null;
    case 'max':
      return [...kept].sort(ordered).at(-1) ?? null;
    default:
      throw new Error(`the interpreter has no ${name}()`);
  }
}
