/** Functions of texts, and conversions between kinds of values. */
import { textOf } from '../value/arithmetic.ts';
import { PointValue } from '../value/point.ts';
import { isTemporal } from '../value/temporal/temporal.ts';
import { isList, isNumber, type Value } from '../value/value.ts';
import {
  asInteger,
  asList,
  asText,
  type CypherFunction,
  type FunctionTable,
  unary,
  wrongType,
  wrongValue,
} from './function.ts';

export const TEXT_FUNCTIONS: FunctionTable = {
  tostring: unary((value) => toText('toString', value)),
  tostringornull: unary((value) => orNull(() => toText('toStringOrNull', value))),
  tostringlist: listOf((value) => orNull(() => toText('toStringList', value))),
  tointeger: unary((value) => toInteger('toInteger', value)),
  toint: unary((value) => toInteger('toInt', value)),
  tointegerornull: unary((value) => orNull(() => toInteger('toIntegerOrNull', value))),
  tointegerlist: listOf((value) => orNull(() => toInteger('toIntegerList', value))),
  tofloat: unary((value) => toFloat('toFloat', value)),
  tofloatornull: unary((value) => orNull(() => toFloat('toFloatOrNull', value))),
  tofloatlist: listOf((value) => orNull(() => toFloat('toFloatList', value))),
  toboolean: unary((value) => toBoolean('toBoolean', value)),
  tobooleanornull: unary((value) => orNull(() => toBoolean('toBooleanOrNull', value))),
  tobooleanlist: listOf((value) => orNull(() => toBoolean('toBooleanList', value))),
  tolower: unary((value) => asText('toLower', value).toLowerCase()),
  toupper: unary((value) => asText('toUpper', value).toUpperCase()),
  lower: unary((value) => asText('lower', value).toLowerCase()),
  upper: unary((value) => asText('upper', value).toUpperCase()),
  trim: unary((value) => asText('trim', value).trim()),
  btrim: unary((value) => asText('btrim', value).trim()),
  ltrim: unary((value) => asText('ltrim', value).trimStart()),
  rtrim: unary((value) => asText('rtrim', value).trimEnd()),
  char_length: unary((value) => BigInt(Array.from(asText('char_length', value)).length)),
  replace: {
    min: 3,
    max: 3,
    apply: ([text, search, put]) => {
      const [whole, from] = [asText('replace', text), asText('replace', search)];
      return from === '' ? whole : whole.replaceAll(from, () => asText('replace', put));
    },
  },
  split: { min: 2, max: 2, apply: ([text, by]) => split(asText('split', text), by ?? null) },
  left: {
    min: 2,
    max: 2,
    apply: ([text, count]) => Array.from(asText('left', text)).slice(0, length('left', count)).join(''),
  },
  right: {
    min: 2,
    max: 2,
    apply: ([text, count]) => {
      const characters = Array.from(asText('right', text));
      return characters.slice(Math.max(0, characters.length - length('right', count))).join('');
    },
  },
  substring: {
    min: 2,
    max: 3,
    apply: ([text, from, count]) => {
      const start = length('substring', from);
      const end = count === undefined ? undefined : start + length('substring', count);
      return Array.from(asText('substring', text)).slice(start, end).join('');
    },
  },
};

function length(name: string, value: Value | undefined): number {
  const count = asInteger(name, value);
  if (count >= 0) return count;
  throw wrongValue(`${name}(): expected a number that is not negative, got ${count}`);
}

function split(text: string, by: Value): Value {
  if (!isList(by)) return text.split(asText('split', by));
  const separators = by.map((each) => asText('split', each));
  let parts = [text];
  for (const separator of separators) parts = parts.flatMap((part) => part.split(separator));
  return parts;
}

function listOf(convert: (value: Exclude<Value, null>) => Value): CypherFunction {
  return unary((list) => asList('list', list).map((value) => (value === null ? null : convert(value))));
}

/** Null for what cannot be converted. */
function orNull(convert: () => Value): Value {
  try {
    return convert();
  } catch {
    return null;
  }
}

function toText(name: string, value: Exclude<Value, null>): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (isNumber(value)) return textOf(value);
  if (isTemporal(value) || value instanceof PointValue) return value.toString();
  throw wrongType(name, 'a String, a number, a Boolean, a Point or a temporal value', value);
}

const NUMBER = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

function toInteger(name: string, value: Exclude<Value, null>): Value {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : null;
  if (typeof value !== 'string') throw wrongType(name, 'a String, a number or a Boolean', value);
  if (/^\s*[+-]?\d+\s*$/.test(value)) return BigInt.asIntN(64, BigInt(value.trim()));
  return NUMBER.test(value) ? BigInt(Math.trunc(Number(value))) : null;
}

function toFloat(name: string, value: Exclude<Value, null>): Value {
  if (isNumber(value)) return Number(value);
  if (typeof value !== 'string') throw wrongType(name, 'a String or a number', value);
  return NUMBER.test(value) ? Number(value) : null;
}

function toBoolean(name: string, value: Exclude<Value, null>): Value {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return value !== 0n;
  if (typeof value !== 'string') throw wrongType(name, 'a String, an Integer or a Boolean', value);
  const text = value.trim().toLowerCase();
  return text === 'true' ? true : text === 'false' ? false : null;
}
