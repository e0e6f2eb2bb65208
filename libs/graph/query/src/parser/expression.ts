/** Conditions: `expr`, `and`, `unary` of the grammar. Recursion is bounded by {@link Cursor.enter}. */
import type { AndOr, Expression, Linked, Name, Not } from '../ast/ast.ts';
import { isReserved } from '../lexer/keyword.ts';
import type { Cursor, Place } from './cursor.ts';
import { parsePredicate } from './predicate.ts';
import { parseDirection, parseVerbs } from './verbs.ts';

/** Reads `and { OR and }`. */
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

/** `unary { AND unary }`; `isChain` if there is an AND. */
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

/* Existence between two aliased nodes, in WHERE: `"(" ident "THAT" verbs [ ">>" | "<<" ] ident ")"`. */

/** Whether the current `(` begins one: THAT follows the name after it. */
function isLinked(cursor: Cursor): boolean {
  const { kind, keyword } = cursor.peek();
  const isName = kind === 'name' || (kind === 'word' && !isReserved(keyword));
  return isName && cursor.peek(2).keyword === 'THAT';
}

function parseLinked(cursor: Cursor, place: Place): Linked {
  const open = cursor.advance();
  if (place !== 'where') {
    const hint = 'a hop follows the entity: FIND a THAT verb b';
    throw cursor.faultAt(open, 'a pattern between two aliases is allowed in WHERE only', { hint });
  }
  cursor.enter(open);
  const left = cursor.expectName('an alias');
  cursor.expectKeyword('THAT');
  refuseNegation(cursor);
  const verbs = parseVerbs(cursor);
  refuseRepetition(cursor);
  const direction = parseDirection(cursor);
  const right = parseRight(cursor);
  cursor.expectClose(open);
  cursor.leave();
  const span = cursor.spanFrom(open.start);
  return Object.freeze({ kind: 'linked', span, left, verbs, direction, right });
}

function refuseNegation(cursor: Cursor): void {
  const { token } = cursor;
  if (token.keyword !== 'NOT' && !(token.kind === 'symbol' && token.text === '!')) return;
  const hint = 'write NOT before the parenthesis: NOT (a THAT verb b)';
  throw cursor.faultAt(token, 'a negation is not allowed between two aliases', { hint });
}

function refuseRepetition(cursor: Cursor): void {
  const { token } = cursor;
  if (token.kind !== 'symbol' || token.text !== '{') return;
  const hint = 'write a repeated hop in the pattern: FIND a THAT verb{1..3} b';
  throw cursor.faultAt(token, 'a repetition is not allowed between two aliases', { hint });
}

/** An alias, not a pattern. */
function parseRight(cursor: Cursor): Name {
  const right = cursor.expectName('an alias');
  const { keyword, kind, text } = cursor.token;
  const isPattern = keyword === 'WITH' || keyword === 'AS' || keyword === 'THAT';
  if (!isPattern && !(kind === 'symbol' && text === '(')) return right;
  const hint = 'give the entity an alias with AS in the pattern, and use the alias here';
  throw cursor.fault('`)` after the alias', { expected: [')'], hint });
}
