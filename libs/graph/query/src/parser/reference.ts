import type { Aggregate, AggregateName, FieldRef, Name } from '../ast/ast.ts';
import { AGGREGATES, type Keyword } from '../lexer/keyword.ts';
import type { Cursor } from './cursor.ts';

const AGGREGATE_NAMES: ReadonlyMap<Keyword | '', AggregateName> = new Map(
  AGGREGATES.map((keyword) => [keyword, keyword.toLowerCase() as AggregateName]),
);

/** Whether the current token may begin a field reference. */
export function isFieldStart(cursor: Cursor): boolean {
  return cursor.token.kind === 'field' || cursor.isName();
}

/** `[ident "."] field { "." ident }`: `h.tag.Name` is the field `tag.Name` of `h`. */
export function parseFieldRef(cursor: Cursor): FieldRef {
  const { start } = cursor.token;
  const isBracketed = cursor.token.kind === 'field';
  const first = parseField(cursor);
  if (isBracketed || !cursor.acceptSymbol('.')) {
    return Object.freeze({ kind: 'ref', span: first.span, field: first });
  }
  const field = parseDottedField(cursor);
  return Object.freeze({ kind: 'ref', span: cursor.spanFrom(start), alias: first, field });
}

function parseDottedField(cursor: Cursor): Name {
  const isBracketed = cursor.token.kind === 'field';
  const first = parseField(cursor);
  if (isBracketed || !cursor.isSymbol('.')) return first;
  let { text } = first;
  while (cursor.acceptSymbol('.')) text += `.${cursor.expectName('a part of the field name').text}`;
  return Object.freeze({ text, span: cursor.spanFrom(first.span.start) });
}

/** A field's name: bare, in backquotes, or in brackets. */
function parseField(cursor: Cursor): Name {
  if (cursor.token.kind !== 'field') return cursor.expectName('a field');
  const { text, start, end } = cursor.advance();
  return Object.freeze({ text, span: Object.freeze({ start, end }) });
}

/** Whether an aggregate such as `COUNT(` begins here. */
export function isAggregate(cursor: Cursor): boolean {
  return (
    AGGREGATE_NAMES.has(cursor.token.keyword) && cursor.peek().text === '(' && cursor.peek().kind === 'symbol'
  );
}

/** `COUNT(*)`, `AVG([DISTINCT] ref)`; requires {@link isAggregate}. */
export function parseAggregate(cursor: Cursor): Aggregate {
  const name = cursor.advance();
  const open = cursor.advance();
  const aggregate = AGGREGATE_NAMES.get(name.keyword) ?? 'count';
  const distinct = acceptDistinct(cursor);
  const argument = parseArgument(cursor, aggregate, distinct);
  cursor.expectClose(open);
  return Object.freeze({
    kind: 'aggregate',
    span: cursor.spanFrom(name.start),
    function: aggregate,
    distinct,
    argument,
  });
}

function parseArgument(cursor: Cursor, aggregate: AggregateName, distinct: boolean): FieldRef | '*' {
  if (aggregate === 'count' && !distinct && cursor.acceptSymbol('*')) return '*';
  if (isFieldStart(cursor)) return parseFieldRef(cursor);
  throw cursor.fault('a field', {
    hint: cursor.token.text === '*' ? 'only COUNT(*) accepts a `*`' : undefined,
  });
}

/** DISTINCT, unless the next token shows that it is a field of that name. */
export function acceptDistinct(cursor: Cursor): boolean {
  const next = cursor.peek();
  const isField =
    next.kind === 'end' ||
    next.keyword === 'AS' ||
    (next.kind === 'symbol' && next.text !== '*' && next.text !== '(');
  return !isField && cursor.acceptKeyword('DISTINCT');
}
