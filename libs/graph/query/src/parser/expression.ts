/** Conditions: `expr`, `and`, `unary` of the grammar. Recursion is bounded by {@link Cursor.enter}. */
import type { AndOr, Expression, Not } from '../ast/ast.ts';
import type { Cursor } from './cursor.ts';
import { isLinked, parseLinked } from './linked.ts';
import type { Place } from './place.ts';
import { parsePredicate } from './predicate.ts';

/** `and { OR and }` */
export function parseExpression(cursor: Cursor, place: Place): Expression {
  const { start } = cursor.token;
  const first = parseConjunction(cursor, place);
  if (!cursor.acceptKeyword('OR')) return first.expression;
  const items = [first.expression];
  let isMixed = first.isChain;
  do {
    const next = parseConjunction(cursor, place);
    items.push(next.expression);
    isMixed ||= next.isChain;
  } while (cursor.acceptKeyword('OR'));
  const or: AndOr = { kind: 'or', span: cursor.spanFrom(start), items: Object.freeze(items) };
  return Object.freeze(isMixed ? { ...or, mixed: true } : or);
}

/** `unary { AND unary }`; `isChain` when there is an AND. */
function parseConjunction(cursor: Cursor, place: Place): { expression: Expression; isChain: boolean } {
  const { start } = cursor.token;
  const first = parseUnary(cursor, place);
  if (!cursor.acceptKeyword('AND')) return { expression: first, isChain: false };
  const items = [first];
  do items.push(parseUnary(cursor, place));
  while (cursor.acceptKeyword('AND'));
  const and: AndOr = { kind: 'and', span: cursor.spanFrom(start), items: Object.freeze(items) };
  return { expression: Object.freeze(and), isChain: true };
}

/** `NOT unary | ( expr ) | pred`; `(` and a name before THAT begin the one predicate in parentheses. */
function parseUnary(cursor: Cursor, place: Place): Expression {
  if (cursor.isKeyword('NOT')) return parseNot(cursor, place);
  if (!cursor.isSymbol('(')) return parsePredicate(cursor, place);
  if (isLinked(cursor)) return parseLinked(cursor, place);
  const open = cursor.advance();
  cursor.enter(open);
  const expression = parseExpression(cursor, place);
  cursor.expectClose(open);
  cursor.leave();
  return expression;
}

function parseNot(cursor: Cursor, place: Place): Not {
  const token = cursor.advance();
  cursor.enter(token);
  const item = parseUnary(cursor, place);
  cursor.leave();
  return Object.freeze({ kind: 'not', span: cursor.spanFrom(token.start), item });
}
