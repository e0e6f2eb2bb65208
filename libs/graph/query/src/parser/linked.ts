/** Existence between two aliased nodes, in WHERE: `"(" ident "THAT" verbs [ ">>" | "<<" ] ident ")"`. */
import type { Linked, Name } from '../ast/ast.ts';
import { isReserved } from '../lexer/keyword.ts';
import type { Cursor } from './cursor.ts';
import type { Place } from './place.ts';
import { parseDirection, parseVerbs } from './verbs.ts';

/** Whether the `(` at hand begins one: THAT follows the name after it. */
export function isLinked(cursor: Cursor): boolean {
  const { kind, keyword } = cursor.peek();
  const isName = kind === 'name' || (kind === 'word' && !isReserved(keyword));
  return isName && cursor.peek(2).keyword === 'THAT';
}

export function parseLinked(cursor: Cursor, place: Place): Linked {
  const open = cursor.advance();
  if (place !== 'where') {
    const hint = 'a hop follows the entity: FIND a THAT verb b';
    throw cursor.faultAt(open, 'what is between two aliases is asked in WHERE only', { hint });
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
  throw cursor.faultAt(token, 'no negation stands between two aliases', { hint });
}

function refuseRepetition(cursor: Cursor): void {
  const { token } = cursor;
  if (token.kind !== 'symbol' || token.text !== '{') return;
  const hint = 'a repeated hop stands in the pattern: FIND a THAT verb{1..3} b';
  throw cursor.faultAt(token, 'no repetition stands between two aliases', { hint });
}

/** An alias, and no pattern. */
function parseRight(cursor: Cursor): Name {
  const right = cursor.expectName('an alias');
  const { keyword, kind, text } = cursor.token;
  const isPattern = keyword === 'WITH' || keyword === 'AS' || keyword === 'THAT';
  if (!isPattern && !(kind === 'symbol' && text === '(')) return right;
  const hint = 'name the entity in the pattern with AS, and speak of its alias here';
  throw cursor.fault('`)` after the alias', { expected: [')'], hint });
}
