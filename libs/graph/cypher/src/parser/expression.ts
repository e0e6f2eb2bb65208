/**
 * Expressions, by recursive descent over the levels of precedence of openCypher 9, the loosest first: OR,
 * XOR, AND, NOT, comparisons, predicates of text, lists and null, + and −, * / %, ^, signs, then accesses.
 */
import type {
  BinaryExpression,
  BinaryOperator,
  ComparisonOperator,
  Expression,
  UnaryExpression,
} from '../syntax/ast.ts';
import { parseAtom } from './atom.ts';
import type { Cursor } from './cursor.ts';
import { parseLabels } from './labels.ts';
import { numberValue } from './map.ts';
import { acceptNormalTest } from './text-forms.ts';
import { acceptTypeTest, parseValueType } from './value-type.ts';

type Level = (cursor: Cursor) => Expression;

export const parseExpression: Level = (cursor) => byKeyword(cursor, 'or', parseXor);
const parseXor: Level = (cursor) => byKeyword(cursor, 'xor', parseAnd);
const parseAnd: Level = (cursor) => byKeyword(cursor, 'and', parseNot);

function byKeyword(cursor: Cursor, operator: 'or' | 'xor' | 'and', next: Level): Expression {
  const start = cursor.token;
  let left = next(cursor);
  while (cursor.acceptPhrase(operator.toUpperCase())) {
    left = binary(operator, [left, next(cursor)], cursor.spanFrom(start));
  }
  return left;
}

function binary(
  operator: BinaryOperator,
  [left, right]: readonly [Expression, Expression],
  span: BinaryExpression['span'],
): BinaryExpression {
  return { kind: 'binary', operator, left, right, span };
}

function parseNot(cursor: Cursor): Expression {
  const start = cursor.token;
  if (!cursor.acceptPhrase('NOT')) return parseComparison(cursor);
  const operand = cursor.nested(() => parseNot(cursor));
  return unary('not', operand, cursor.spanFrom(start));
}

function unary(
  operator: UnaryExpression['operator'],
  operand: Expression,
  span: UnaryExpression['span'],
): UnaryExpression {
  return { kind: 'unary', operator, operand, span };
}

const COMPARISONS: ReadonlySet<string> = new Set<ComparisonOperator>(['=', '<>', '<', '<=', '>', '>=']);

function parseComparison(cursor: Cursor): Expression {
  const start = cursor.token;
  const first = parsePredicate(cursor);
  const rest: { operator: ComparisonOperator; operand: Expression }[] = [];
  while (cursor.token.kind === 'symbol' && isComparison(cursor.token.text)) {
    const operator = cursor.token.text;
    cursor.advance();
    rest.push({ operator, operand: parsePredicate(cursor) });
  }
  return rest.length === 0 ? first : { kind: 'comparison', first, rest, span: cursor.spanFrom(start) };
}

function isComparison(symbol: string): symbol is ComparisonOperator {
  return COMPARISONS.has(symbol);
}

/** Any number of predicates, one after another: `a IN b IS NULL`. */
function parsePredicate(cursor: Cursor): Expression {
  const start = cursor.token;
  let left = parseSum(cursor);
  for (let length = 0; ; length++) {
    cursor.refuseLongChain(length);
    const operator = acceptPredicate(cursor);
    if (operator !== undefined) left = binary(operator, [left, parseSum(cursor)], cursor.spanFrom(start));
    else if (cursor.acceptPhrase('IS', 'NULL')) {
      left = { kind: 'null-test', operand: left, isNegated: false, span: cursor.spanFrom(start) };
    } else if (cursor.acceptPhrase('IS', 'NOT', 'NULL')) {
      left = { kind: 'null-test', operand: left, isNegated: true, span: cursor.spanFrom(start) };
    } else {
      const test = acceptNormalTest(cursor, left) ?? parseTypeTest(cursor, left);
      if (test === undefined) return left;
      left = test;
    }
  }
}

/** Reads `IS [NOT] :: TYPE`. */
function parseTypeTest(cursor: Cursor, operand: Expression): Expression | undefined {
  const test = acceptTypeTest(cursor);
  if (test === undefined) return undefined;
  const type = parseValueType(cursor);
  const span = { start: operand.span.start, end: cursor.spanFrom(cursor.token).end };
  return { kind: 'type-test', operand, type, isNegated: test.isNegated, span };
}

function acceptPredicate(cursor: Cursor): BinaryOperator | undefined {
  if (cursor.acceptPhrase('IN')) return 'in';
  if (cursor.acceptPhrase('STARTS', 'WITH')) return 'starts with';
  if (cursor.acceptPhrase('ENDS', 'WITH')) return 'ends with';
  if (cursor.acceptPhrase('CONTAINS')) return 'contains';
  return cursor.acceptSymbol('=~') ? '=~' : undefined;
}

const parseSum: Level = (cursor) => bySymbol(cursor, ['+', '-', '||'], parseProduct);
const parseProduct: Level = (cursor) => bySymbol(cursor, ['*', '/', '%'], parsePower);
const parsePower: Level = (cursor) => bySymbol(cursor, ['^'], parseSign);

function bySymbol(cursor: Cursor, operators: readonly BinaryOperator[], next: Level): Expression {
  const start = cursor.token;
  let left = next(cursor);
  for (;;) {
    const operator = operators.find((symbol) => cursor.acceptSymbol(symbol));
    if (operator === undefined) return left;
    left = binary(operator, [left, next(cursor)], cursor.spanFrom(start));
  }
}

function parseSign(cursor: Cursor): Expression {
  const start = cursor.token;
  const operator = cursor.acceptSymbol('-') ? '-' : cursor.acceptSymbol('+') ? '+' : undefined;
  if (operator === undefined) return parseAccess(cursor);
  const isNumber = cursor.token.kind === 'integer' || cursor.token.kind === 'float';
  if (operator === '-' && isNumber) {
    const value = numberValue(cursor, true);
    return parseAccesses(cursor, { kind: 'literal', value, span: cursor.spanFrom(start) });
  }
  const operand = cursor.nested(() => parseSign(cursor));
  return unary(operator, operand, cursor.spanFrom(start));
}

function parseAccess(cursor: Cursor): Expression {
  return parseAccesses(cursor, parseAtom(cursor));
}

/** `.key`, `[index]`, `[from..to]`, `:Label`, one after another. */
function parseAccesses(cursor: Cursor, atom: Expression): Expression {
  const { start } = atom.span;
  let subject = atom;
  for (let length = 0; ; length++) {
    cursor.refuseLongChain(length);
    if (cursor.acceptSymbol('.')) {
      const { text } = cursor.expectName('the name of a property');
      subject = { kind: 'property', subject, key: text, span: cursor.spanFrom({ start, end: start }) };
    } else if (cursor.isSymbol('[')) subject = parseElement(cursor, subject);
    else if (cursor.isSymbol(':') && !cursor.isSymbol(':', 1) && mayHaveLabels(subject)) {
      const labels = parseLabels(cursor);
      if (labels === undefined) return subject;
      const span = cursor.spanFrom({ start, end: start });
      subject = { kind: 'label-test', operand: subject, labels, span };
    } else return subject;
  }
}

function mayHaveLabels({ kind }: Expression): boolean {
  return kind !== 'literal' && kind !== 'label-test' && kind !== 'map';
}

function parseElement(cursor: Cursor, subject: Expression): Expression {
  const { start } = subject.span;
  cursor.advance();
  const from = cursor.isSymbol('..') ? undefined : cursor.expression();
  const isSlice = cursor.acceptSymbol('..');
  const to = isSlice && !cursor.isSymbol(']') ? cursor.expression() : undefined;
  cursor.expectSymbol(']');
  const span = cursor.spanFrom({ start, end: start });
  if (isSlice || from === undefined) return { kind: 'slice', subject, from, to, span };
  return { kind: 'index', subject, index: from, span };
}
