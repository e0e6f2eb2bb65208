/** Node patterns, hops and groups of hops: `node` and `hop` of the grammar. */
import type { Expression, Hop, HopGroup, HopPattern, Name, NodePattern, Repeat } from '../ast/ast.ts';
import { printString } from '../ast/print-expression.ts';
import { isReserved } from '../lexer/keyword.ts';
import type { Token } from '../lexer/token.ts';
import { HOPS_MAX } from '../syntax/limits.ts';
import { isAsOf } from './as-of.ts';
import type { Cursor } from './cursor.ts';
import { ALTERNATIVES, verbHint } from './end-fault.ts';
import { parseExpression } from './expression.ts';
import { parseInteger } from './value.ts';
import { parseAlternatives, parseDirection, parseVerbs } from './verbs.ts';

/** `class { WITH expr | AS ident }`. `hint` explains a missing class. */
export function parseNode(cursor: Cursor, hint?: string): NodePattern {
  const { start } = cursor.token;
  const names = parseNames(cursor, hint === undefined ? 'a class' : 'a class after the verb', hint);
  let filter: Condition | undefined;
  let alias: Name | undefined;
  for (;;) {
    if (filter === undefined && cursor.acceptKeyword('WITH')) filter = parseCondition(cursor);
    else if (alias === undefined && !isAsOf(cursor) && cursor.acceptKeyword('AS')) alias = parseAlias(cursor);
    else if (filter !== undefined && cursor.isKeyword('AND')) filter = parseFurther(cursor, filter);
    else break;
  }
  refuseSecond(cursor);
  const node: NodePattern = { kind: 'node', span: cursor.spanFrom(start), names };
  return Object.freeze(Object.assign(node, filter && { filter: filter.expression }, alias && { alias }));
}

/** J1QL's `WITH a = 1 AS x AND b = 2`: the condition goes on behind the alias. */
function parseFurther(cursor: Cursor, first: Condition): Condition {
  const token = cursor.advance();
  const further = parseCondition(cursor);
  if (first.isAlternative || further.isAlternative) {
    const hint = 'write the whole condition before AS, or the alternatives in parentheses';
    throw cursor.faultAt(token, 'a condition goes on behind the alias with AND only', { hint });
  }
  const items = [first, further].flatMap(({ expression: item }) =>
    item.kind === 'and' ? item.items : [item],
  );
  const span = cursor.spanFrom(first.expression.span.start);
  return {
    expression: Object.freeze({ kind: 'and', span, items: Object.freeze(items) }),
    isAlternative: false,
  };
}

interface Condition {
  readonly expression: Expression;
  /** Whether it is an OR without parentheses round it. */
  readonly isAlternative: boolean;
}

function parseCondition(cursor: Cursor): Condition {
  const { start } = cursor.token;
  const expression = parseExpression(cursor, 'with');
  return { expression, isAlternative: expression.kind === 'or' && expression.span.start === start };
}

/** WITH and AS follow a node at most once each. */
function refuseSecond(cursor: Cursor): void {
  const { keyword } = cursor.token;
  if ((keyword !== 'WITH' && keyword !== 'AS') || isAsOf(cursor)) return;
  const hint = keyword === 'WITH' ? 'join conditions with AND' : 'an element has one alias';
  throw cursor.faultAt(cursor.token, `a second ${keyword} for the same element`, { hint });
}

function parseAlias(cursor: Cursor): Name {
  cursor.hasAlias = true;
  return cursor.expectName('an alias');
}

/** `"*" | name | "(" name { "|" name } ")"` */
function parseNames(cursor: Cursor, what: string, hint?: string): readonly Name[] | '*' {
  if (cursor.acceptSymbol('*')) return '*';
  return parseAlternatives(cursor, what, textHint(cursor) ?? hint);
}

/** J1QL's search in texts. */
function textHint({ token }: Cursor): string | undefined {
  if (token.kind !== 'string') return undefined;
  const part = printString(token.text);
  return `a text is searched in a field, as in * WITH display_name CONTAINS ${part}; a key is * WITH _key = ${part}`;
}

/** Reads `{ hop }`. */
export function parseHops(cursor: Cursor): readonly HopPattern[] {
  const hops: HopPattern[] = [];
  for (;;) {
    if (cursor.isKeyword('THAT')) hops.push(parseHop(cursor));
    else if (cursor.isSymbol('(')) hops.push(parseGroup(cursor));
    else return Object.freeze(hops);
  }
}

/**
 * Whether a class or its direction follows the current word, which then is no class itself: UNIQUE after
 * FIND, TO after a verb, as in LOGS TO.
 */
export function isClassAhead(cursor: Cursor): boolean {
  const [next, second] = [cursor.peek(), cursor.peek(2)];
  if (next.kind === 'name') return true;
  if (next.kind === 'symbol') {
    const isAlternatives = next.text === '(' && second.keyword !== 'THAT' && second.text !== '(';
    return isAlternatives || ['*', '>>', '<<'].includes(next.text);
  }
  return next.kind === 'word' && !isReserved(next.keyword) && !isClauseStart(next, second);
}

function isClauseStart({ keyword }: Token, next: Token): boolean {
  if (keyword === 'GROUP' || keyword === 'ORDER') return next.keyword === 'BY';
  return (keyword === 'SKIP' || keyword === 'LIMIT') && (next.kind === 'number' || next.kind === 'parameter');
}

/** `THAT [!|NOT] verbs [TO] [reps] [>>|<<] [AS ident] node`; the negated form is a group. */
function parseHop(cursor: Cursor): HopPattern {
  const { start } = cursor.advance();
  const isAbsent = cursor.acceptSymbol('!') || cursor.acceptKeyword('NOT');
  const verbs = parseVerbs(cursor);
  if (cursor.token.keyword === 'TO' && isClassAhead(cursor)) cursor.advance();
  const repeat = parseRepeat(cursor);
  const direction = parseDirection(cursor);
  const alias = cursor.acceptKeyword('AS') ? parseAlias(cursor) : undefined;
  const target = parseNode(cursor, cursor.token.text === '|' ? ALTERNATIVES : verbHint(verbs));
  const span = cursor.spanFrom(start);
  const hop: Hop = { kind: 'hop', span, verbs, direction, target };
  Object.freeze(Object.assign(hop, repeat && { repeat }, alias && { alias }));
  return isAbsent ? Object.freeze({ kind: 'group', span, mode: 'absent', hops: Object.freeze([hop]) }) : hop;
}

/** Reads `{ int [.. [int]] }`. */
function parseRepeat(cursor: Cursor): Repeat | undefined {
  if (!cursor.isSymbol('{')) return undefined;
  const { start } = cursor.advance();
  const min = parseHopCount(cursor);
  const max = cursor.acceptSymbol('..') ? parseUpperEnd(cursor, min) : min;
  cursor.expectSymbol('}');
  return Object.freeze({ span: cursor.spanFrom(start), min, max });
}

function parseUpperEnd(cursor: Cursor, min: number): number {
  if (cursor.isSymbol('}')) return Infinity;
  const { token } = cursor;
  const max = parseHopCount(cursor, 'an open upper end has no bound: {1..}');
  if (max < min) throw cursor.faultAt(token, `the upper bound ${max} is below the lower bound ${min}`);
  return max;
}

function parseHopCount(cursor: Cursor, hint?: string): number {
  const { token } = cursor;
  const count = parseInteger(cursor);
  if (count > HOPS_MAX) throw cursor.faultAt(token, `at most ${HOPS_MAX} hops, not ${count}`, { hint });
  return count;
}

/** `"(" hop { hop } ")" [ "?" | "!" ]` */
function parseGroup(cursor: Cursor): HopGroup {
  const open = cursor.advance();
  cursor.enter(open);
  const hops = parseHops(cursor);
  if (hops.length === 0) throw cursor.fault('THAT');
  cursor.expectClose(open);
  cursor.leave();
  const mode = parseMode(cursor);
  refuseGroupAlias(cursor);
  return Object.freeze({ kind: 'group', span: cursor.spanFrom(open.start), mode, hops });
}

/** J1QL's name of what is before an optional part and what it leads to. */
function refuseGroupAlias(cursor: Cursor): void {
  if (cursor.token.keyword !== 'AS' || isAsOf(cursor)) return;
  const hint = 'name the elements; either end of a hop is THAT verb{0..1} (class | class) AS x';
  throw cursor.faultAt(cursor.token, 'a part in parentheses has no alias', { hint });
}

function parseMode(cursor: Cursor): HopGroup['mode'] {
  if (cursor.acceptSymbol('?')) return 'optional';
  return cursor.acceptSymbol('!') ? 'absent' : 'required';
}
