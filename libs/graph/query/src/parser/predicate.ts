/** One condition: an operand, an operator and a right side (`pred` of the grammar). */
import type {
  ComparisonOperator,
  Expression,
  Literal,
  Membership,
  Operand,
  Parameter,
  TextMatch,
  TextOperator,
  Value,
} from '../ast/ast.ts';
import { compilePattern } from '../syntax/regular-expression.ts';
import type { Cursor, Place } from './cursor.ts';
import { isAggregate, isFieldStart, parseAggregate, parseFieldRef } from './reference.ts';
import { parseParameter, parseValue } from './value.ts';

const COMPARISONS: ReadonlyMap<string, ComparisonOperator> = new Map([
  ['=', '='],
  ['!=', '!='],
  ['<>', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
]);

const TEXT_SYMBOLS: ReadonlyMap<string, TextOperator> = new Map([
  ['^=', 'starts_with'],
  ['$=', 'ends_with'],
  ['~=', 'contains'],
]);

/** J1QL's spellings of NOT STARTS WITH, NOT ENDS WITH and NOT CONTAINS. */
const NEGATED_SYMBOLS: ReadonlyMap<string, TextOperator> = new Map([
  ['!^=', 'starts_with'],
  ['!$=', 'ends_with'],
  ['!~=', 'contains'],
]);

const NEGATABLE = ['IN', 'LIKE', 'ILIKE', 'CONTAINS', 'STARTS WITH', 'ENDS WITH', 'BETWEEN'];
const OPERATORS = [...'= != < <= > >= ^= $= ~= =~ EXISTS IS NOT'.split(' '), ...NEGATABLE];

/** The left operand of an operator, and its position. */
interface Left {
  readonly operand: Operand;
  readonly place: Place;
  readonly negated: boolean;
}

export function parsePredicate(cursor: Cursor, place: Place): Expression {
  const operand = parseOperand(cursor, place);
  const bySymbol = parseSymbolPredicate(cursor, { operand, place, negated: false });
  if (bySymbol !== undefined) return bySymbol;
  const { keyword } = cursor.token;
  if (keyword === 'EXISTS' || keyword === 'IS') return parseExistence(cursor, operand);
  const negated = cursor.acceptKeyword('NOT');
  const byWord = parseWordPredicate(cursor, { operand, place, negated });
  if (byWord === undefined) throw operatorFault(cursor, operand, negated);
  return byWord;
}

function parseOperand(cursor: Cursor, place: Place): Operand {
  if (place === 'having' && isAggregate(cursor)) return parseAggregate(cursor);
  if (isFieldStart(cursor)) return parseFieldRef(cursor);
  throw cursor.fault('a condition', { expected: ['NOT', '(', 'a field'], hint: cursor.reservedHint() });
}

function operatorFault(cursor: Cursor, operand: Operand, negated: boolean): Error {
  if (!negated)
    return cursor.fault('an operator', { expected: OPERATORS, hint: operatorHint(cursor, operand) });
  return cursor.fault('an operator after NOT', { expected: NEGATABLE, hint: 'as in NOT IN, NOT LIKE' });
}

function operatorHint(cursor: Cursor, operand: Operand): string | undefined {
  const { text, kind } = cursor.token;
  if (text === '(' && isField(operand, /^(count|sum|avg|min|max)$/i))
    return 'aggregates are allowed in HAVING, RETURN and ORDER BY';
  if (isField(operand, /^exists$/i)) return 'EXISTS follows the field';
  if (text === '-') return 'a name with other characters needs brackets or backquotes';
  return kind === 'end' ? "as in = 'value', IN (…) or EXISTS" : undefined;
}

function isField(operand: Operand, name: RegExp): boolean {
  return operand.kind === 'ref' && name.test(operand.field.text);
}

/** `=`, `<`, `^=` and similar operators, with a value, `(a OR b)` or `(a AND b)`; `=~` with a pattern. */
function parseSymbolPredicate(cursor: Cursor, left: Left): Expression | undefined {
  const { kind, text } = cursor.token;
  if (kind !== 'symbol') return undefined;
  const comparison = COMPARISONS.get(text);
  const negatedMatch = NEGATED_SYMBOLS.get(text);
  const match = TEXT_SYMBOLS.get(text) ?? negatedMatch;
  if (comparison === undefined && match === undefined && text !== '=~') return undefined;
  cursor.advance();
  if (comparison !== undefined) return parseComparison(cursor, left, comparison);
  if (match !== undefined)
    return parseMatches(cursor, { ...left, negated: negatedMatch !== undefined }, match);
  return textMatch(cursor, left, 'regex', parsePattern(cursor));
}

function parseComparison(cursor: Cursor, left: Left, operator: ComparisonOperator): Expression {
  const right = parseRight(cursor, left.place);
  const isOneOf = right.kind === 'or' && (operator === '=' || operator === '!=');
  if (isOneOf) return membership(cursor, { ...left, negated: operator === '!=' }, right.values);
  return forEachValue(cursor, left, right, (value) => ({
    kind: 'compare',
    span: cursor.spanFrom(left.operand.span.start),
    left: left.operand,
    operator,
    right: value,
  }));
}

function parseMatches(cursor: Cursor, left: Left, operator: TextOperator): Expression {
  const right = parseRight(cursor, left.place);
  // None of the values: a negation of the whole.
  const isNone = left.negated && right.kind === 'or' && right.values.length > 1;
  const each = isNone ? { ...left, negated: false } : left;
  const some = forEachValue(cursor, left, right, (value) => textMatch(cursor, each, operator, value));
  return isNone ? Object.freeze({ kind: 'not', span: some.span, item: some }) : some;
}

/** What follows an operator: one value, or several that are joined in parentheses. */
interface RightSide {
  readonly kind: 'single' | 'or' | 'and';
  readonly values: readonly Value[];
}

/** `a`, `(a OR b)` or `(a AND b)`. */
function parseRight(cursor: Cursor, place: Place): RightSide {
  const parse = (): Value => parseValue(cursor, place === 'where');
  if (cursor.token.kind !== 'symbol' || cursor.token.text !== '(') {
    return { kind: 'single', values: [parse()] };
  }
  const open = cursor.advance();
  cursor.enter(open);
  const values = [parse()];
  const kind = cursor.isKeyword('AND') ? 'and' : 'or';
  while (cursor.acceptKeyword(kind === 'and' ? 'AND' : 'OR')) values.push(parse());
  cursor.expectClose(open);
  cursor.leave();
  return { kind, values: Object.freeze(values) };
}

/** One condition for each value, joined; the condition itself for a single value. */
function forEachValue(
  cursor: Cursor,
  left: Left,
  { kind, values }: RightSide,
  conditionOf: (value: Value) => Expression,
): Expression {
  const items = values.map((value) => Object.freeze(conditionOf(value)));
  const [only] = items;
  if (only !== undefined && items.length === 1) return only;
  const span = cursor.spanFrom(left.operand.span.start);
  return Object.freeze({ kind: kind === 'and' ? kind : 'or', span, items: Object.freeze(items) });
}

function parseExistence(cursor: Cursor, operand: Operand): Expression {
  let negated = false;
  if (!cursor.acceptKeyword('EXISTS')) {
    cursor.expectKeyword('IS');
    negated = !cursor.acceptKeyword('NOT');
    cursor.expectKeyword('NULL');
  }
  return Object.freeze({ kind: 'exists', span: cursor.spanFrom(operand.span.start), left: operand, negated });
}

/** `[NOT]` IN, LIKE, ILIKE, CONTAINS, STARTS WITH, ENDS WITH, BETWEEN. */
function parseWordPredicate(cursor: Cursor, left: Left): Expression | undefined {
  if (cursor.acceptKeyword('IN')) return membership(cursor, left, parseList(cursor, left.place));
  if (cursor.acceptKeyword('BETWEEN')) return parseBetween(cursor, left);
  if (cursor.acceptKeyword('LIKE')) return textMatch(cursor, left, 'like', parseText(cursor));
  if (cursor.acceptKeyword('ILIKE')) return textMatch(cursor, left, 'ilike', parseText(cursor));
  if (cursor.acceptPhrase('STARTS', 'WITH')) return textMatch(cursor, left, 'starts_with', parseText(cursor));
  if (cursor.acceptPhrase('ENDS', 'WITH')) return textMatch(cursor, left, 'ends_with', parseText(cursor));
  if (!cursor.acceptKeyword('CONTAINS')) return undefined;
  return textMatch(cursor, left, 'contains', parseValue(cursor, left.place === 'where'));
}

/** `(a, b)` or a parameter that holds the list. */
function parseList(cursor: Cursor, place: Place): readonly Value[] | Parameter {
  if (cursor.token.kind === 'parameter') return parseParameter(cursor);
  const open = cursor.token;
  const expected = ['(', 'a parameter'];
  if (!cursor.acceptSymbol('(')) throw cursor.fault('a list', { expected, hint: 'as in IN (1, 2)' });
  const values: Value[] = [];
  do values.push(parseValue(cursor, place === 'where'));
  while (cursor.acceptSymbol(','));
  cursor.expectClose(open);
  return Object.freeze(values);
}

function parseBetween(cursor: Cursor, left: Left): Expression {
  const low = parseValue(cursor, left.place === 'where');
  cursor.expectKeyword('AND');
  const high = parseValue(cursor, left.place === 'where');
  const span = cursor.spanFrom(left.operand.span.start);
  return Object.freeze({ kind: 'between', span, left: left.operand, negated: left.negated, low, high });
}

function parseText(cursor: Cursor): Literal | Parameter {
  const { kind, start, end, text } = cursor.token;
  if (kind === 'parameter') return parseParameter(cursor);
  if (kind !== 'string') throw cursor.fault('a string', { expected: ['a string', 'a parameter'] });
  cursor.advance();
  return Object.freeze({ kind: 'literal', span: Object.freeze({ start, end }), value: text });
}

/** The right side of `=~`; a literal must compile. */
function parsePattern(cursor: Cursor): Literal | Parameter {
  const { token } = cursor;
  const pattern = parseText(cursor);
  if (token.kind !== 'string') return pattern;
  if (!cursor.hasRoomForPattern(token.text)) {
    throw cursor.faultAt(token, 'the regular expressions of this query are too large together');
  }
  const compiled = compilePattern(token.text);
  if ('expression' in compiled) return pattern;
  throw cursor.faultAt(token, `invalid regular expression: ${compiled.fault}`);
}

function membership(cursor: Cursor, left: Left, values: Membership['values']): Membership {
  const span = cursor.spanFrom(left.operand.span.start);
  return Object.freeze({ kind: 'in', span, left: left.operand, negated: left.negated, values });
}

function textMatch(cursor: Cursor, left: Left, operator: TextOperator, right: Value): TextMatch {
  const span = cursor.spanFrom(left.operand.span.start);
  return Object.freeze({ kind: 'text', span, left: left.operand, operator, negated: left.negated, right });
}
