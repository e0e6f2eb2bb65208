/** WITH and RETURN, with ORDER BY, SKIP and LIMIT. */
import type { Expression, OrderItem, ProjectionClause, ProjectionItem } from '../syntax/ast.ts';
import type { Cursor } from './cursor.ts';

/** Requires WITH or RETURN. */
export function parseProjection(cursor: Cursor): ProjectionClause {
  const start = cursor.advance();
  const kind = start.keyword === 'WITH' ? 'with' : 'return';
  const isDistinct = cursor.acceptPhrase('DISTINCT');
  const isAll = cursor.acceptSymbol('*');
  const hasItems = !isAll || cursor.acceptSymbol(',');
  const items = hasItems ? cursor.list(() => parseItem(cursor)) : [];
  const { order, skip, limit } = parseOrderAndLimits(cursor);
  const where = kind === 'with' && cursor.acceptPhrase('WHERE') ? cursor.expression() : undefined;
  const span = cursor.spanFrom(start);
  return { kind, isDistinct, isAll, items, order, skip, limit, where, span };
}

export function parseOrderAndLimits(cursor: Cursor): Pick<ProjectionClause, 'order' | 'skip' | 'limit'> {
  const order = cursor.acceptPhrase('ORDER', 'BY') ? cursor.list(() => parseOrderItem(cursor)) : [];
  const skip = cursor.acceptPhrase('SKIP') || cursor.acceptPhrase('OFFSET') ? cursor.expression() : undefined;
  const limit = cursor.acceptPhrase('LIMIT') ? cursor.expression() : undefined;
  return { order, skip, limit };
}

function parseItem(cursor: Cursor): ProjectionItem {
  const start = cursor.token;
  const expression = cursor.expression();
  const { end } = cursor.spanFrom(start);
  if (cursor.acceptPhrase('AS')) {
    const { text } = cursor.expectName('a name');
    return { expression, name: text, hasAlias: true, span: cursor.spanFrom(start) };
  }
  return {
    expression,
    name: nameOf(expression, cursor.text.slice(start.start, end)),
    hasAlias: false,
    span: { start: start.start, end },
  };
}

function nameOf(expression: Expression, text: string): string {
  return expression.kind === 'variable' ? expression.name : text;
}

function parseOrderItem(cursor: Cursor): OrderItem {
  const start = cursor.token;
  const expression = cursor.expression();
  const isDescending = cursor.acceptPhrase('DESC') || cursor.acceptPhrase('DESCENDING');
  if (!isDescending && !cursor.acceptPhrase('ASC')) cursor.acceptPhrase('ASCENDING');
  return { expression, isDescending, span: cursor.spanFrom(start) };
}
