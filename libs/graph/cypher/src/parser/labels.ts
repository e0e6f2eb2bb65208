/** Label expressions: `:A:B`, `:A|B`, `:A&!B`, `:%`, `:$(expression)`, in parentheses. */
import type { DynamicLabel, LabelExpression, PlainLabel, Span } from '../syntax/ast.ts';
import type { Cursor } from './cursor.ts';

/** Requires the leading `:`; without one, undefined. */
export function parseLabels(cursor: Cursor): LabelExpression | undefined {
  const start = cursor.token;
  if (!cursor.acceptSymbol(':')) return undefined;
  const items = [parseOr(cursor)];
  // `:A:B`, the older form of `:A&B`.
  while (cursor.acceptSymbol(':')) items.push(parseOr(cursor));
  return joined('and', items, cursor.spanFrom(start));
}

/** `:A:$(expression)`, as SET and REMOVE take them. */
export function parsePlainLabels(cursor: Cursor): readonly PlainLabel[] {
  const labels: PlainLabel[] = [];
  while (cursor.acceptSymbol(':')) labels.push(parsePlain(cursor));
  return labels;
}

function parsePlain(cursor: Cursor): PlainLabel {
  const dynamic = parseDynamic(cursor);
  if (dynamic !== undefined) return dynamic;
  const { text, span } = cursor.expectName('a label');
  return { kind: 'label', name: text, span };
}

/** `$(…)`, `$all(…)`, `$any(…)`: the last two begin like a parameter. */
function parseDynamic(cursor: Cursor): DynamicLabel | undefined {
  const start = cursor.token;
  const word = start.kind === 'parameter' ? start.text.toLowerCase() : '';
  const isDynamic = cursor.isSymbol('$') || word === 'all' || word === 'any';
  if (!isDynamic || !cursor.isSymbol('(', 1)) return undefined;
  cursor.advance();
  cursor.expectSymbol('(');
  const names = cursor.reservingBar(false, () => cursor.expression());
  cursor.expectSymbol(')');
  return { kind: 'dynamic', isAny: word === 'any', names, span: cursor.spanFrom(start) };
}

function parseOr(cursor: Cursor): LabelExpression {
  const start = cursor.token;
  const items = [parseAnd(cursor)];
  while (!cursor.isBarReserved && cursor.acceptSymbol('|')) {
    // `:A|:B`, the older form for types of relationships.
    cursor.acceptSymbol(':');
    items.push(parseAnd(cursor));
  }
  return joined('or', items, cursor.spanFrom(start));
}

function parseAnd(cursor: Cursor): LabelExpression {
  const start = cursor.token;
  const items = [parseUnary(cursor)];
  while (cursor.acceptSymbol('&')) items.push(parseUnary(cursor));
  return joined('and', items, cursor.spanFrom(start));
}

function parseUnary(cursor: Cursor): LabelExpression {
  const start = cursor.token;
  if (cursor.acceptSymbol('!')) {
    const item = cursor.nested(() => parseUnary(cursor));
    return { kind: 'not', item, span: cursor.spanFrom(start) };
  }
  if (cursor.acceptSymbol('%')) return { kind: 'any', span: cursor.spanFrom(start) };
  if (!cursor.acceptSymbol('(')) return parsePlain(cursor);
  const inner = cursor.nested(() => cursor.reservingBar(false, () => parseOr(cursor)));
  cursor.expectSymbol(')');
  return inner;
}

function joined(kind: 'and' | 'or', items: readonly LabelExpression[], span: Span): LabelExpression {
  const [only] = items;
  return items.length === 1 && only !== undefined ? only : { kind, items, span };
}
