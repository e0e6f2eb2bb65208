/** Functions of texts, and conversions between kinds of values. */
import { checked, integerOf, textOf } from '../value/arithmetic.ts';
import { PointValue } from '../value/point.ts';
import { isTemporal } from '../value/temporal/temporal.ts';
import { TextSearch } from './text-search.ts';
import type { Run } from '../graph/run.ts';
import type { NormalForm } from '../syntax/ast.ts';
import { CHARACTERS_PER_VALUE, isList, isNumber, type Value } from '../value/value.ts';
import {
  asInteger,
  asList,
  asText,
  charactersOf,
  type CypherFunction,
  type FunctionTable,
  requireRoom,
  unary,
  wrongType,
  wrongValue,
} from './function.ts';

export const TEXT_FUNCTIONS: FunctionTable = {
  toString: unary((value) => toText('toString', value)),
  toStringOrNull: unary((value) => orNull(() => toText('toStringOrNull', value))),
  toStringList: listOf((value) => orNull(() => toText('toStringList', value))),
  toInteger: unary((value) => toInteger('toInteger', value)),
  toInt: unary((value) => toInteger('toInt', value)),
  toIntegerOrNull: unary((value) => orNull(() => toInteger('toIntegerOrNull', value))),
  toIntegerList: listOf((value) => orNull(() => toInteger('toIntegerList', value))),
  toFloat: unary((value) => toFloat('toFloat', value)),
  toFloatOrNull: unary((value) => orNull(() => toFloat('toFloatOrNull', value))),
  toFloatList: listOf((value) => orNull(() => toFloat('toFloatList', value))),
  toBoolean: unary((value) => toBoolean('toBoolean', value)),
  toBooleanOrNull: unary((value) => orNull(() => toBoolean('toBooleanOrNull', value))),
  toBooleanList: listOf((value) => orNull(() => toBoolean('toBooleanList', value))),
  toLower: unary((value) => asText('toLower', value).toLowerCase()),
  toUpper: unary((value) => asText('toUpper', value).toUpperCase()),
  lower: unary((value) => asText('lower', value).toLowerCase()),
  upper: unary((value) => asText('upper', value).toUpperCase()),
  trim: trimming('trim', true, true),
  btrim: trimming('btrim', true, true),
  ltrim: trimming('ltrim', true, false),
  rtrim: trimming('rtrim', false, true),
  char_length: unary((value, run) => BigInt(charactersOf(run, asText('char_length', value)).length)),
  character_length: unary((value, run) =>
    BigInt(charactersOf(run, asText('character_length', value)).length),
  ),
  normalize: {
    min: 1,
    max: 2,
    apply: ([text, form]) => normalize(asText('normalize', text), asText('normalize', form ?? 'NFC')),
  },
  replace: {
    min: 3,
    max: 4,
    apply: ([text, search, put, limit], run) =>
      replace(
        [text, search, put].map((part) => asText('replace', part)),
        limit,
        run,
      ),
  },
  split: { min: 2, max: 2, apply: ([text, by], run) => split(asText('split', text), by ?? null, run) },
  left: part('left', 2, (characters, count) => characters.slice(0, count)),
  right: part('right', 2, (characters, count) => characters.slice(Math.max(0, characters.length - count))),
  substring: part('substring', 3, (characters, start, count) =>
    characters.slice(start, count === undefined ? undefined : start + count),
  ),
};

/** A part of a text by one number of characters, or two: of null it is null, but a number is not null. */
function part(
  name: string,
  max: 2 | 3,
  take: (characters: readonly string[], first: number, second: number | undefined) => readonly string[],
): CypherFunction {
  return {
    min: 2,
    max,
    takesNull: true,
    apply: ([text = null, first, second], run) => {
      if (text === null) return null;
      const counts = [length(name, first), second === undefined ? undefined : length(name, second)] as const;
      return take(charactersOf(run, asText(name, text)), ...counts).join('');
    },
  };
}

function length(name: string, value: Value | undefined): number {
  const count = asInteger(name, value);
  if (count >= 0) return count;
  throw wrongValue(`${name}(): expected a number that is not negative, got ${count}`);
}

const NORMAL_FORMS: ReadonlySet<string> = new Set(['NFC', 'NFD', 'NFKC', 'NFKD']);

function normalize(text: string, form: string): string {
  if (NORMAL_FORMS.has(form.toUpperCase())) return text.normalize(form.toUpperCase());
  throw wrongValue(`normalize(): expected NFC, NFD, NFKC or NFKD, got '${form.slice(0, 20)}'`);
}

/** Null for what is no text. */
export function normalTest(value: Value, { form, isNegated }: NormalForm): boolean | null {
  return typeof value === 'string' ? (normalize(value, form) === value) !== isNegated : null;
}

/** A function that removes characters at the ends; by default whitespace. */
function trimming(name: string, isStart: boolean, isEnd: boolean): CypherFunction {
  return {
    min: 1,
    max: 2,
    apply: ([text, removed], run) => {
      const characters = charactersOf(run, asText(name, text));
      const set = removed === undefined ? undefined : new Set(asText(name, removed));
      const isKept = (character: string): boolean =>
        set === undefined ? character.trim() !== '' : !set.has(character);
      const first = characters.findIndex(isKept);
      if (first < 0) return '';
      const end = characters.findLastIndex(isKept) + 1;
      return characters.slice(isStart ? first : 0, isEnd ? end : undefined).join('');
    },
  };
}

/** At most so many occurrences, from the left. */
function replace(
  [whole = '', search = '', put = '']: readonly string[],
  limit: Value | undefined,
  run: Run,
): string {
  const most = limit === undefined ? Infinity : length('replace', limit);
  if (search === '') return withBetween(whole, put, most, run);
  const parts = cut(whole, [search], most, run);
  const growth = (parts.length - 1) * (put.length - search.length);
  requireRoom(run, 2 * parts.length + (whole.length + growth) / CHARACTERS_PER_VALUE);
  return parts.join(put);
}

/** The empty text is before each character, and at the end. */
function withBetween(whole: string, put: string, most: number, run: Run): string {
  const characters = charactersOf(run, whole);
  const count = Math.min(most, characters.length + 1);
  requireRoom(run, 2 * count + (whole.length + count * put.length) / CHARACTERS_PER_VALUE);
  const parts = characters.map((character, at) => (at < count ? put + character : character));
  return parts.join('') + (count > characters.length ? put : '');
}

/** An empty text has one part, itself. */
function split(text: string, by: Value, run: Run): Value {
  const list = isList(by) ? by : [by];
  if (list.includes(null)) return null;
  const separators = list.map((each) => asText('split', each));
  if (text === '') return [''];
  // Between all characters: none of them is cut, however long it is.
  return separators.includes('') ? charactersOf(run, text) : cut(text, separators, Infinity, run);
}

/**
 * At the first separator that comes, again and again, at most so many times; of several at one place, the
 * first of the list. The parts are counted against the memory as they are made.
 */
function cut(text: string, separators: readonly string[], most: number, run: Run): readonly string[] {
  const places = separators.map((separator) => {
    const search = new TextSearch(text, separator, run);
    return { search, length: separator.length, at: search.next(0) };
  });
  const { made } = run;
  const parts: string[] = [];
  let from = 0;
  while (parts.length < most) {
    let next: (typeof places)[number] | undefined;
    for (const place of places) {
      // Each goes forward only: the text is read once for each.
      if (place.at >= 0 && place.at < from) place.at = place.search.next(from);
      if (place.at >= 0 && (next === undefined || place.at < next.at)) next = place;
    }
    if (next === undefined) break;
    parts.push(text.slice(from, next.at));
    run.make(1);
    from = next.at + next.length;
  }
  run.drop(made);
  return [...parts, text.slice(from)];
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
  if (isTemporal(value)) return withSeconds(value.toString());
  if (value instanceof PointValue) return value.toString();
  throw wrongType(name, 'a String, a number, a Boolean, a Point or a temporal value', value);
}

/** The text of a time as Neo4j writes it: seconds also where they are zero. */
function withSeconds(text: string): string {
  return text.replace(/(?<=^|T)\d\d:\d\d(?![:\d])/, '$&:00');
}

const NUMBER = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** The floats without digits, as `toString` writes them. */
const NAMED_NUMBER = /^\s*(?:NaN|[+-]?Infinity)\s*$/;

function toInteger(name: string, value: Exclude<Value, null>): Value {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number') return Number.isFinite(value) ? checked(BigInt(Math.trunc(value))) : null;
  if (typeof value !== 'string') throw wrongType(name, 'a String, a number or a Boolean', value);
  if (!NUMBER.test(value)) return null;
  const text = value.trim().replace(/^\+/, '');
  if (/^-?\d+$/.test(text)) return checked(integerOf(text));
  const number = Number(text);
  return Number.isFinite(number) ? checked(BigInt(Math.trunc(number))) : null;
}

function toFloat(name: string, value: Exclude<Value, null>): Value {
  if (isNumber(value)) return Number(value);
  if (typeof value !== 'string') throw wrongType(name, 'a String or a number', value);
  return NUMBER.test(value) || NAMED_NUMBER.test(value) ? Number(value) : null;
}

function toBoolean(name: string, value: Exclude<Value, null>): Value {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return value !== 0n;
  if (typeof value !== 'string') throw wrongType(name, 'a String, an Integer or a Boolean', value);
  const text = value.trim().toLowerCase();
  return text === 'true' ? true : text === 'false' ? false : null;
}
