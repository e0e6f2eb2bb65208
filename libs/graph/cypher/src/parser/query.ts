/** Queries: clauses, joined by UNION. */
import type { Clause, Query, Union } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { isClauseStart, parseClause, refuseTooManyClauses } from './clause.ts';
import type { Cursor } from './cursor.ts';
import { acceptUse } from './refused.ts';

/** The clauses up to what begins none. */
export function parseQuery(cursor: Cursor): Query {
  const start = cursor.token;
  const parts = [parseClauses(cursor)];
  const unions: Union[] = [];
  while (cursor.isKeyword('UNION')) {
    const union = cursor.advance();
    const isAll = cursor.acceptPhrase('ALL');
    if (!isAll) cursor.acceptPhrase('DISTINCT');
    unions.push({ isAll, span: cursor.spanFrom(union) });
    parts.push(parseClauses(cursor));
  }
  const mixed = unions.find(({ isAll }) => isAll !== unions[0]?.isAll);
  if (mixed !== undefined) {
    throw new SyntaxFault('InvalidClauseComposition', mixed.span, 'UNION and UNION ALL cannot be mixed');
  }
  return { parts, unions, span: cursor.spanFrom(start) };
}

function parseClauses(cursor: Cursor): readonly Clause[] {
  acceptUse(cursor);
  const clauses = [parseClause(cursor)];
  while (isClauseStart(cursor)) {
    refuseTooManyClauses(cursor, clauses);
    clauses.push(parseClause(cursor));
  }
  return clauses;
}
