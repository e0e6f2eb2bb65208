/** Verbs, alternatives and directions: the common parts of hops, VIA and existence between aliases. */
import type { HopDirection, Name, VerbPattern } from '../ast/ast.ts';
import type { Cursor } from './cursor.ts';

/** `verb | "(" verb { "|" verb } ")" | RELATES TO` */
export function parseVerbs(cursor: Cursor): VerbPattern {
  const { start } = cursor.token;
  const names = cursor.acceptPhrase('RELATES', 'TO')
    ? '*'
    : parseAlternatives(cursor, 'a verb', verbsHint(cursor));
  return Object.freeze({ span: cursor.spanFrom(start), names });
}

function verbsHint(cursor: Cursor): string | undefined {
  return cursor.token.text === '*' ? 'RELATES TO matches any verb' : undefined;
}

/** `name | "(" name { "|" name } ")"` */
export function parseAlternatives(cursor: Cursor, what: string, hint?: string): readonly Name[] {
  const open = cursor.token;
  if (!cursor.acceptSymbol('(')) return Object.freeze([cursor.expectName(what, hint)]);
  const names: Name[] = [];
  do names.push(cursor.expectName(what));
  while (cursor.acceptSymbol('|'));
  cursor.expectClose(open);
  return Object.freeze(names);
}

/** Reads `[ >> | << ]`. */
export function parseDirection(cursor: Cursor): HopDirection {
  if (cursor.acceptSymbol('>>')) return 'out';
  return cursor.acceptSymbol('<<') ? 'in' : 'any';
}
