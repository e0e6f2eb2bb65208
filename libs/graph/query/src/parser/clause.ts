/** The clauses after the pattern of a FIND: GROUP BY, HAVING, RETURN, ORDER BY. */
import type {
  Aggregate,
  Expression,
  FieldRef,
  Name,
  OrderKey,
  ReturnClause,
  ReturnItem,
} from '../ast/ast.ts';
import { isAsOf } from './as-of.ts';
import type { Cursor } from './cursor.ts';
import { parseColumn } from './computed.ts';
import { parseExpression } from './expression.ts';
import { acceptDistinct, isAggregate, parseAggregate, parseFieldRef } from './reference.ts';

/** `[ WHERE expr ]`; rejected if it names neither an alias nor a class. */
export function parseWhere(cursor: Cursor): Expression | undefined {
  const { token } = cursor;
  if (!cursor.isKeyword('WHERE')) return undefined;
  if (!cursor.hasAlias && !mayNameClass(cursor)) {
    const hint = 'without an alias use WITH';
    throw cursor.faultAt(token, 'WHERE needs aliases, and this query has none', {
      expected: ['WITH'],
      hint,
    });
  }
  cursor.advance();
  return parseExpression(cursor, 'where');
}

/** Whether the condition may begin with a field by its class, as in `WHERE host.os = 'linux'`. */
function mayNameClass(cursor: Cursor): boolean {
  const [first, second] = [cursor.peek(), cursor.peek(2)];
  return first.text === '(' || first.keyword === 'NOT' || second.text === '.';
}

/** `[ GROUP BY ref { , ref } [ HAVING expr ] ]` */
export function parseGroupBy(cursor: Cursor): { groupBy: readonly FieldRef[]; having?: Expression } {
  if (!cursor.acceptPhrase('GROUP', 'BY')) return { groupBy: Object.freeze([]) };
  const groupBy: FieldRef[] = [];
  do groupBy.push(parseFieldRef(cursor));
  while (cursor.acceptSymbol(','));
  Object.freeze(groupBy);
  return cursor.acceptKeyword('HAVING')
    ? { groupBy, having: parseExpression(cursor, 'having') }
    : { groupBy };
}

/** `[ RETURN ( COUNT | [DISTINCT] item { , item } ) ]`; FIND UNIQUE makes it DISTINCT. */
export function parseReturn(cursor: Cursor, isUnique: boolean): ReturnClause | undefined {
  const { start } = cursor.token;
  if (!cursor.acceptKeyword('RETURN')) return undefined;
  if (isPlainCount(cursor)) {
    cursor.advance();
    return Object.freeze({
      kind: 'count',
      span: cursor.spanFrom(start),
      distinct: false,
      items: Object.freeze([]),
    });
  }
  const distinct = acceptDistinct(cursor) || isUnique;
  const items: ReturnItem[] = [];
  do items.push(parseItem(cursor));
  while (cursor.acceptSymbol(','));
  return Object.freeze({
    kind: 'items',
    span: cursor.spanFrom(start),
    distinct,
    items: Object.freeze(items),
  });
}

/** COUNT alone; otherwise, as part of an item, it is an aggregate or a field of that name. */
function isPlainCount(cursor: Cursor): boolean {
  const next = cursor.peek();
  const isItem =
    (next.keyword === 'AS' && !isAsOf(cursor, 1)) ||
    (next.kind === 'symbol' && ['(', ',', '.', '+', '-', '*', '/'].includes(next.text)) ||
    next.kind === 'number';
  return cursor.isKeyword('COUNT') && !isItem;
}

function parseItem(cursor: Cursor): ReturnItem {
  const { start } = cursor.token;
  const value = parseFields(cursor);
  const hasAlias = !isAsOf(cursor) && cursor.acceptKeyword('AS');
  const alias: Name | undefined = hasAlias ? parseColumnName(cursor) : undefined;
  const span = cursor.spanFrom(start);
  return Object.freeze(alias === undefined ? { span, value } : { span, value, alias });
}

/** A name, or a text as in J1QL's `AS 'Bucket Size'`. */
function parseColumnName(cursor: Cursor): Name {
  const { kind, text, start, end } = cursor.token;
  if (kind !== 'string' || text === '') return cursor.expectName('a column name');
  cursor.advance();
  return Object.freeze({ text, span: Object.freeze({ start, end }) });
}

/** Reads a column or `ident.*`. */
function parseFields(cursor: Cursor): ReturnItem['value'] {
  if (cursor.token.text === '*' && cursor.token.kind === 'symbol') {
    throw cursor.fault('a field', {
      hint: 'omit RETURN to get full entities; h.* returns all of an alias h',
    });
  }
  if (cursor.peek().text !== '.' || cursor.peek(2).text !== '*' || cursor.peek(2).kind !== 'symbol') {
    return parseColumn(cursor);
  }
  const alias = cursor.expectName('an alias');
  cursor.expectSymbol('.');
  cursor.expectSymbol('*');
  return Object.freeze({ kind: 'all', span: cursor.spanFrom(alias.span.start), alias });
}

/** `[ ORDER BY okey { , okey } ]` */
export function parseOrderBy(cursor: Cursor): readonly OrderKey[] {
  const keys: OrderKey[] = [];
  if (!cursor.acceptPhrase('ORDER', 'BY')) return Object.freeze(keys);
  do keys.push(parseOrderKey(cursor));
  while (cursor.acceptSymbol(','));
  return Object.freeze(keys);
}

function parseOrderKey(cursor: Cursor): OrderKey {
  const value: FieldRef | Aggregate = isAggregate(cursor) ? parseAggregate(cursor) : parseFieldRef(cursor);
  const descending = !cursor.acceptKeyword('ASC') && cursor.acceptKeyword('DESC');
  return Object.freeze({ span: cursor.spanFrom(value.span.start), value, descending });
}
