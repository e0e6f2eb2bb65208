/** Queries: clauses, joined by UNION. */
import type { Clause, Query, Union } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { isClauseStart, parseClause } from './clause.ts';
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

/** Each clause pulls its rows from the one before it, so that their number is a depth. */
const CLAUSES_MAX = 1_000;

function parseClauses(cursor: Cursor): readonly Clause[] {
  acceptUse(cursor);
  const clauses = [parseClause(cursor)];
  while (isClauseStart(cursor)) {
    if (clauses.length === CLAUSES_MAX) {
      const message = `a query has at most ${CLAUSES_MAX} clauses`;
      throw new SyntaxFault('StatementTooLong', cursor.token, message, {
        hint: 'one CREATE takes many patterns',
      });
    }
    clauses.push(parseClause(cursor));
  }
  return clauses;
}
