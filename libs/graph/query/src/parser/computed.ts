/** Values of RETURN that are computed: `term { (+ | -) term }`, products, and CONCAT. */
import type { Aggregate, ArithmeticOperator, Computed, Concat, FieldRef, Literal, Term } from '../ast/ast.ts';
import type { Cursor } from './cursor.ts';
import { isAggregate, parseAggregate, parseFieldRef } from './reference.ts';
import { literal, parseNumber } from './value.ts';

/** Reads a column; a literal alone is none. */
export function parseColumn(cursor: Cursor): FieldRef | Aggregate | Computed {
  const { token } = cursor;
  const value = parseSum(cursor);
  if (value.kind !== 'literal') return value;
  throw cursor.faultAt(token, 'a value alone is no column', {
    hint: 'compute it with a field, as in h.cpu * 2',
  });
}

/** `product { (+ | -) product }`. The lexer reads the sign of `a -2` as part of the number. */
function parseSum(cursor: Cursor): Term {
  const { start } = cursor.token;
  const terms = [parseProduct(cursor)];
  const operators: ArithmeticOperator[] = [];
  for (;;) {
    const isNegative = cursor.token.kind === 'number' && cursor.token.text.startsWith('-');
    const operator = isNegative ? '-' : acceptOperator(cursor, '+', '-');
    if (operator === undefined) return operation(cursor, start, terms, operators);
    operators.push(operator);
    terms.push(parseProduct(cursor, isNegative ? parseNumber(cursor, false) : undefined));
  }
}

/** `term { (* | /) term }`; `first` is a term that has been read. */
function parseProduct(cursor: Cursor, first?: Term): Term {
  const start = first?.span.start ?? cursor.token.start;
  const terms = [first ?? parseTerm(cursor)];
  const operators: ArithmeticOperator[] = [];
  for (;;) {
    const operator = acceptOperator(cursor, '*', '/');
    if (operator === undefined) return operation(cursor, start, terms, operators);
    operators.push(operator);
    terms.push(parseTerm(cursor));
  }
}

function acceptOperator<Operator extends ArithmeticOperator>(
  cursor: Cursor,
  ...operators: readonly Operator[]
): Operator | undefined {
  return operators.find((operator) => cursor.acceptSymbol(operator));
}

/** The only term itself, or the operation on several. */
function operation(
  cursor: Cursor,
  start: number,
  terms: readonly Term[],
  operators: readonly ArithmeticOperator[],
): Term {
  const [only] = terms;
  if (only !== undefined && terms.length === 1) return only;
  const text = terms.find((term) => term.kind === 'concat');
  if (text !== undefined)
    throw cursor.faultAt(text.span, 'CONCAT gives a text, and arithmetic needs numbers');
  const span = cursor.spanFrom(start);
  return Object.freeze({
    kind: 'arithmetic',
    span,
    terms: Object.freeze(terms),
    operators: Object.freeze(operators),
  });
}

/** A number, a field, an aggregate, CONCAT, or a sum in parentheses. */
function parseTerm(cursor: Cursor): Term {
  const { token } = cursor;
  if (token.kind === 'number') return parseNumber(cursor, true);
  if (token.kind === 'string') throw cursor.fault('a number or a field', { hint: 'CONCAT joins texts' });
  if (cursor.isSymbol('(')) return parseInParentheses(cursor);
  if (isConcat(cursor)) return parseConcat(cursor);
  return isAggregate(cursor) ? parseAggregate(cursor) : parseFieldRef(cursor);
}

function parseInParentheses(cursor: Cursor): Term {
  const open = cursor.advance();
  cursor.enter(open);
  const sum = parseSum(cursor);
  cursor.expectClose(open);
  cursor.leave();
  return sum;
}

function isConcat(cursor: Cursor): boolean {
  return cursor.token.keyword === 'CONCAT' && cursor.peek().kind === 'symbol' && cursor.peek().text === '(';
}

/** `CONCAT(part { , part })`; requires {@link isConcat}. */
function parseConcat(cursor: Cursor): Concat {
  const { start } = cursor.advance();
  const open = cursor.advance();
  cursor.enter(open);
  const terms: Term[] = [];
  do terms.push(parsePart(cursor));
  while (cursor.acceptSymbol(','));
  cursor.expectClose(open);
  cursor.leave();
  return Object.freeze({ kind: 'concat', span: cursor.spanFrom(start), terms: Object.freeze(terms) });
}

/** A text, TRUE, FALSE, or what a column may be. */
function parsePart(cursor: Cursor): Term {
  return parseLiteralPart(cursor) ?? parseSum(cursor);
}

function parseLiteralPart(cursor: Cursor): Literal | undefined {
  const { kind, keyword, text } = cursor.token;
  if (kind === 'string') return literal(cursor, text);
  const isBoolean = (keyword === 'TRUE' || keyword === 'FALSE') && cursor.peek().text !== '.';
  return isBoolean ? literal(cursor, keyword === 'TRUE') : undefined;
}
