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
    return 'aggregates stand in HAVING, RETURN and ORDER BY';
  if (isField(operand, /^exists$/i)) return 'EXISTS stands after the field';
  if (text === '-') return 'a name with other characters stands in brackets or backquotes';
  return kind === 'end' ? "as in = 'value', IN (…) or EXISTS" : undefined;
}

function isField(operand: Operand, name: RegExp): boolean {
  return operand.kind === 'ref' && name.test(operand.field.text);
}

/** `=`, `<`, `^=` and similar operators, with a value or `(a OR b)`; `=~` with a pattern. */
function parseSymbolPredicate(cursor: Cursor, left: Left): Expression | undefined {
  const { kind, text } = cursor.token;
  if (kind !== 'symbol') return undefined;
  const comparison = COMPARISONS.get(text);
  const match = TEXT_SYMBOLS.get(text);
  if (comparison === undefined && match === undefined && text !== '=~') return undefined;
  cursor.advance();
  if (comparison !== undefined) return parseComparison(cursor, left, comparison);
  if (match !== undefined) return parseMatches(cursor, left, match);
  return textMatch(cursor, left, 'regex', parsePattern(cursor));
}

function parseComparison(cursor: Cursor, left: Left, operator: ComparisonOperator): Expression {
  const values = parseAlternatives(cursor, left.place);
  if (values !== undefined && (operator === '=' || operator === '!=')) {
    return membership(cursor, { ...left, negated: operator === '!=' }, values);
  }
  return anyOf(cursor, left, values ?? [parseValue(cursor, left.place === 'where')], (right) => ({
    kind: 'compare',
    span: cursor.spanFrom(left.operand.span.start),
    left: left.operand,
    operator,
    right,
  }));
}

function parseMatches(cursor: Cursor, left: Left, operator: TextOperator): Expression {
  const values = parseAlternatives(cursor, left.place) ?? [parseValue(cursor, left.place === 'where')];
  return anyOf(cursor, left, values, (right) => textMatch(cursor, left, operator, right));
}

/** `(a OR b)` after an operator, if present. */
function parseAlternatives(cursor: Cursor, place: Place): readonly Value[] | undefined {
  if (cursor.token.kind !== 'symbol' || cursor.token.text !== '(') return undefined;
  const open = cursor.advance();
  cursor.enter(open);
  const values: Value[] = [];
  do values.push(parseValue(cursor, place === 'where'));
  while (cursor.acceptKeyword('OR'));
  cursor.expectClose(open);
  cursor.leave();
  return Object.freeze(values);
}

/** The OR of one condition for each value; the condition itself for a single value. */
function anyOf(
  cursor: Cursor,
  left: Left,
  values: readonly Value[],
  conditionOf: (value: Value) => Expression,
): Expression {
  const items = values.map((value) => Object.freeze(conditionOf(value)));
  const [only] = items;
  if (only !== undefined && items.length === 1) return only;
  const span = cursor.spanFrom(left.operand.span.start);
  return Object.freeze({ kind: 'or', span, items: Object.freeze(items) });
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
