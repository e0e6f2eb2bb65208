/** What stands in brackets, and functions that bind a variable for each element of a list. */
import type {
  Expression,
  ListComprehension,
  PatternComprehension,
  QuantifierExpression,
  ReduceExpression,
} from '../syntax/ast.ts';
import type { Cursor } from './cursor.ts';
import { isPatternStart, parsePathPattern } from './pattern.ts';

export const QUANTIFIERS: Readonly<Record<string, QuantifierExpression['quantifier']>> = {
  ALL: 'all',
  ANY: 'any',
  NONE: 'none',
  SINGLE: 'single',
};

/** A list, a list comprehension or a pattern comprehension. */
export function parseListForm(cursor: Cursor): Expression {
  const start = cursor.token;
  cursor.expectSymbol('[');
  if (cursor.isName() && cursor.isKeyword('IN', 1)) return parseListComprehension(cursor, start);
  const isNamedPattern = cursor.isName() && cursor.isSymbol('=', 1) && isPatternStart(cursor, 2);
  if (isNamedPattern || isPatternStart(cursor)) return parsePatternComprehension(cursor, start);
  const items = cursor.isSymbol(']')
    ? []
    : cursor.reservingBar(false, () => cursor.list(() => cursor.expression()));
  cursor.expectSymbol(']');
  return { kind: 'list', items, span: cursor.spanFrom(start) };
}

function parseListComprehension(cursor: Cursor, start: Cursor['token']): ListComprehension {
  const variable = cursor.expectName('a variable');
  cursor.expectKeyword('IN');
  const { list, where } = parseFiltered(cursor);
  const result = cursor.acceptSymbol('|') ? parseResult(cursor) : undefined;
  cursor.expectSymbol(']');
  return { kind: 'list-comprehension', variable, list, where, result, span: cursor.spanFrom(start) };
}

/** `list [WHERE condition]`, in which `|` ends the condition. */
function parseFiltered(cursor: Cursor): Pick<ListComprehension, 'list' | 'where'> {
  return cursor.reservingBar(true, () => ({
    list: cursor.expression(),
    where: cursor.acceptPhrase('WHERE') ? cursor.expression() : undefined,
  }));
}

function parseResult(cursor: Cursor): Expression {
  return cursor.reservingBar(false, () => cursor.expression());
}

/** `[(a)-->(b) WHERE … | b.name]`; a list of pattern predicates has a comma where this has the bar. */
function parsePatternComprehension(
  cursor: Cursor,
  start: Cursor['token'],
): PatternComprehension | Expression {
  const pattern = parsePathPattern(cursor);
  if (pattern.variable === undefined && (cursor.isSymbol(',') || cursor.isSymbol(']'))) {
    const first: Expression = { kind: 'pattern', pattern, span: pattern.span };
    const others = cursor.acceptSymbol(',') ? cursor.list(() => cursor.expression()) : [];
    const items = [first, ...others];
    cursor.expectSymbol(']');
    return { kind: 'list', items, span: cursor.spanFrom(start) };
  }
  const where = cursor.acceptPhrase('WHERE')
    ? cursor.reservingBar(true, () => cursor.expression())
    : undefined;
  cursor.expectSymbol('|');
  const result = parseResult(cursor);
  cursor.expectSymbol(']');
  return { kind: 'pattern-comprehension', pattern, where, result, span: cursor.spanFrom(start) };
}

/** `all(x IN list WHERE condition)`; requires one of {@link QUANTIFIERS}. */
export function parseQuantifier(cursor: Cursor): Expression {
  const start = cursor.token;
  const quantifier = QUANTIFIERS[cursor.advance().keyword] ?? 'all';
  cursor.expectSymbol('(');
  const variable = cursor.expectName('a variable');
  cursor.expectKeyword('IN');
  return cursor.reservingBar(false, () => {
    const list = cursor.expression();
    cursor.expectKeyword('WHERE');
    const where = cursor.expression();
    cursor.expectSymbol(')');
    return { kind: 'quantifier', quantifier, variable, list, where, span: cursor.spanFrom(start) };
  });
}

/** `reduce(sum = 0, x IN list | sum + x)` */
export function parseReduce(cursor: Cursor): ReduceExpression {
  const start = cursor.advance();
  cursor.expectSymbol('(');
  const accumulator = cursor.expectName('a variable');
  cursor.expectSymbol('=');
  const initial = cursor.reservingBar(false, () => cursor.expression());
  cursor.expectSymbol(',');
  const variable = cursor.expectName('a variable');
  cursor.expectKeyword('IN');
  const list = cursor.reservingBar(true, () => cursor.expression());
  cursor.expectSymbol('|');
  const result = parseResult(cursor);
  cursor.expectSymbol(')');
  return { kind: 'reduce', accumulator, initial, variable, list, result, span: cursor.spanFrom(start) };
}
