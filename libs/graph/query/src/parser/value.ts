import type { CountValue, DateValue, FieldRef, Literal, Now, Parameter, Span, Value } from '../ast/ast.ts';
import type { Token } from '../lexer/token.ts';
import { dateMs } from '../syntax/date.ts';
import { quote } from '../syntax/fault.ts';
import { NOW_OFFSET_MS_MAX } from '../syntax/limits.ts';
import type { Cursor } from './cursor.ts';
import { isFieldStart, parseFieldRef } from './reference.ts';

const VALUES = ['a string', 'a number', 'true', 'false', 'null', 'a parameter', 'NOW'];
const DAY_MS = 86_400_000;
/** A month is 30 days, a year 365. */
const UNITS: readonly (readonly [spellings: string, ms: number])[] = [
  ['m min mins minute minutes', 60_000],
  ['h hr hrs hour hours', 3_600_000],
  ['d day days', DAY_MS],
  ['w week weeks', 7 * DAY_MS],
  ['month months', 30 * DAY_MS],
  ['y year years', 365 * DAY_MS],
];
const UNIT_MS: ReadonlyMap<string, number> = new Map(
  UNITS.flatMap(([spellings, ms]) => spellings.split(' ').map((unit) => [unit, ms] as const)),
);

/** `value`; also a field reference if `withFields` is set (in WHERE). */
export function parseValue(cursor: Cursor, withFields: boolean): Value {
  const { token } = cursor;
  switch (token.kind) {
    case 'string':
      return literal(cursor, token.text);
    case 'number':
      return literal(cursor, numberOf(cursor, token));
    case 'parameter':
      return parseParameter(cursor);
    case 'date':
      return dateOf(cursor, cursor.advance(), token.start);
    default:
      return parseWordValue(cursor, withFields);
  }
}

function parseWordValue(cursor: Cursor, withFields: boolean): Literal | Now | DateValue | FieldRef {
  const { token } = cursor;
  if (isWord(token, 'date')) {
    if (isQuotedDate(cursor)) return parseQuotedDate(cursor);
    if (isDateNow(cursor)) return parseDateNow(cursor);
  }
  return parseWord(cursor, withFields);
}

function parseWord(cursor: Cursor, withFields: boolean): Literal | Now | FieldRef {
  const { token } = cursor;
  const isHead = withFields && isDot(cursor.peek());
  if (!isHead) {
    if (token.keyword === 'TRUE') return literal(cursor, true);
    if (token.keyword === 'FALSE') return literal(cursor, false);
    if (token.keyword === 'NULL' || isWord(token, 'undefined')) return literal(cursor, null);
    if (token.keyword === 'NOW') return parseNow(cursor);
  }
  if (withFields && isFieldStart(cursor)) return parseFieldRef(cursor);
  throw cursor.fault('a value', {
    expected: withFields ? [...VALUES, 'a field'] : VALUES,
    hint: valueHint(cursor),
  });
}

const DATE_HINT = 'as in date(2026-01-31) or date(2026-01-31T12:00:00Z)';

function valueHint(cursor: Cursor): string | undefined {
  const { token } = cursor;
  if (isWord(token, 'date') && cursor.peek().text === '(') return DATE_HINT;
  if (token.kind === 'word' && token.keyword === '') return `a string needs quotes: '${token.text}'`;
  if (cursor.previous.text === '=' && token.text === '=') return 'equality is one `=`';
  if (token.text === '(') return 'a list of values stands after =, != or IN';
  return undefined;
}

/** Reads `$1` or `$name`. */
export function parseParameter(cursor: Cursor): Parameter {
  const { text, start, end } = cursor.advance();
  return Object.freeze({ kind: 'parameter', span: Object.freeze({ start, end }), name: text });
}

/** `what` of SKIP and LIMIT. */
export function parseCount(cursor: Cursor): CountValue {
  if (cursor.token.kind === 'parameter') return parseParameter(cursor);
  const { start, end } = cursor.token;
  const value = parseInteger(cursor, ['a non-negative integer', 'a parameter']);
  return Object.freeze({ kind: 'count', value, span: Object.freeze({ start, end }) });
}

/** Parses a number of digits only, at most 2^53 − 1. */
export function parseInteger(cursor: Cursor, expected = ['a non-negative integer']): number {
  const { token } = cursor;
  const value = token.kind === 'number' && /^\d+$/.test(token.text) ? Number(token.text) : NaN;
  if (!Number.isSafeInteger(value)) throw cursor.fault('a non-negative integer', { expected });
  cursor.advance();
  return value;
}

/** J1QL's spelling of NOW. */
function isDateNow(cursor: Cursor): boolean {
  return isDot(cursor.peek()) && cursor.peek(2).keyword === 'NOW';
}

function parseDateNow(cursor: Cursor): Now {
  const { start } = cursor.advance();
  cursor.advance();
  return parseNow(cursor, start);
}

function isQuotedDate(cursor: Cursor): boolean {
  return cursor.peek().text === '(' && cursor.peek(2).kind === 'string';
}

function parseQuotedDate(cursor: Cursor): DateValue {
  const { start } = cursor.advance();
  const open = cursor.advance();
  const text = cursor.advance();
  cursor.expectClose(open);
  return dateOf(cursor, text, start);
}

/** `date(2019-10-30)`, of which the current token is the first behind it. */
function dateOf(cursor: Cursor, token: Token, start: number): DateValue {
  if (dateMs(token.text) !== undefined)
    return Object.freeze({ kind: 'date', span: cursor.spanFrom(start), text: token.text });
  throw cursor.faultAt(cursor.spanFrom(start), `expected a date, found ${quote(token.text)}`, {
    hint: DATE_HINT,
  });
}

/** `NOW [(+|-) int unit]`. The lexer reads the sign of `NOW -7d` as part of the number. */
function parseNow(cursor: Cursor, start = cursor.token.start): Now {
  cursor.advance();
  const sign = parseSign(cursor);
  const offsetMs = sign === 0 ? 0 : sign * parseDuration(cursor);
  return Object.freeze({ kind: 'now', span: cursor.spanFrom(start), offsetMs: offsetMs + 0 });
}

function parseSign(cursor: Cursor): -1 | 0 | 1 {
  if (cursor.acceptSymbol('+')) return 1;
  if (cursor.acceptSymbol('-')) return -1;
  return isNegativeInteger(cursor.token) ? -1 : 0;
}

function isNegativeInteger(token: Token): boolean {
  return token.kind === 'number' && /^-\d+$/.test(token.text);
}

function parseDuration(cursor: Cursor): number {
  const amount = cursor.token;
  const count = isNegativeInteger(amount) ? -Number(cursor.advance().text) : parseInteger(cursor);
  const unitMs = cursor.token.kind === 'word' ? UNIT_MS.get(cursor.token.text.toLowerCase()) : undefined;
  if (unitMs === undefined)
    throw cursor.fault('a unit', { expected: ['m', 'h', 'd'], hint: 'as in NOW - 7d' });
  cursor.advance();
  const durationMs = count * unitMs;
  if (durationMs > NOW_OFFSET_MS_MAX)
    throw cursor.faultAt(amount, 'the offset is outside the range of dates');
  return durationMs;
}

/** The current number, or what it is without its sign: in `a -2` the sign is an operator. */
export function parseNumber(cursor: Cursor, isSigned: boolean): Literal {
  const { token } = cursor;
  if (isSigned) return literal(cursor, numberOf(cursor, token));
  const value = numberOf(cursor, { ...token, text: token.text.slice(1) });
  cursor.advance();
  const span = Object.freeze({ start: token.start + 1, end: token.end });
  return Object.freeze({ kind: 'literal', span, value });
}

function numberOf(cursor: Cursor, token: Token): number {
  const value = Number(token.text);
  if (!Number.isFinite(value)) throw cursor.faultAt(token, 'number out of range');
  if (isLargeInteger(token.text, value)) {
    const max = String(Number.MAX_SAFE_INTEGER);
    throw cursor.faultAt(
      token,
      `expected an integer from -${max} to ${max}: write a larger one as text, in quotes`,
    );
  }
  return value === 0 ? 0 : value;
}

/**
 * An integer that a number cannot represent exactly; with a fraction or an exponent, rounding is accepted.
 */
function isLargeInteger(text: string, value: number): boolean {
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(value);
}

export function literal(cursor: Cursor, value: Literal['value']): Literal {
  const { start, end } = cursor.advance();
  const span: Span = Object.freeze({ start, end });
  return Object.freeze({ kind: 'literal', span, value });
}

function isWord({ kind, text }: Token, word: string): boolean {
  return kind === 'word' && text.toLowerCase() === word;
}

function isDot(token: Token): boolean {
  return token.kind === 'symbol' && token.text === '.';
}
