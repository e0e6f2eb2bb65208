/** Label expressions: `:A:B`, `:A|B`, `:A&!B`, `:%`, in parentheses. */
import type { LabelExpression, Name, Span } from '../syntax/ast.ts';
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

/** `:A:B`, as SET, REMOVE and CREATE take them. */
export function parsePlainLabels(cursor: Cursor): readonly Name[] {
  const labels: Name[] = [];
  while (cursor.acceptSymbol(':')) labels.push(cursor.expectName('a label'));
  return labels;
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
  if (!cursor.acceptSymbol('(')) {
    const { text, span } = cursor.expectName('a label');
    return { kind: 'label', name: text, span };
  }
  const inner = cursor.nested(() => cursor.reservingBar(false, () => parseOr(cursor)));
  cursor.expectSymbol(')');
  return inner;
}

function joined(kind: 'and' | 'or', items: readonly LabelExpression[], span: Span): LabelExpression {
  const [only] = items;
  return items.length === 1 && only !== undefined ? only : { kind, items, span };
}
