import type { DomainError } from '#foundation';
import type { FindQuery, HopPattern, NodePattern, Query } from '../ast/ast.ts';
import type { Keyword } from '../lexer/keyword.ts';
import type { Cursor } from './cursor.ts';

const CLAUSE_ORDER = 'clauses stand in the order WHERE, GROUP BY, HAVING, RETURN, ORDER BY, SKIP, LIMIT';
/** What to write instead of a bare `a | b`. */
export const ALTERNATIVES = 'alternatives stand in parentheses: (a | b)';

const CLAUSES: ReadonlySet<Keyword | ''> = new Set(['WHERE', 'GROUP', 'RETURN', 'ORDER', 'SKIP', 'LIMIT']);

/** The fault of text that goes on after the query, with a guess at what was meant. */
export function endFault(cursor: Cursor, body: Query['body']): DomainError {
  return cursor.fault('the end of the query', { hint: hintOf(cursor, body) });
}

function hintOf(cursor: Cursor, body: Query['body']): string | undefined {
  const { keyword, kind, text } = cursor.token;
  if (keyword === 'HAVING') return 'HAVING follows GROUP BY';
  if (body.kind !== 'find') return undefined;
  if (isHalfPhrase(keyword, cursor.peek().keyword)) return `${text} is followed by BY`;
  if (CLAUSES.has(keyword)) return CLAUSE_ORDER;
  if (kind === 'symbol') return symbolHint(text);
  const last = lastNode(body);
  if (last.span.end !== cursor.previous.end || !cursor.isName()) return undefined;
  if (last.alias === undefined && last.filter === undefined) return `an alias is written AS ${text}`;
  return last.filter?.span.end === last.span.end ? 'join conditions with AND or OR' : undefined;
}

function isHalfPhrase(keyword: Keyword | '', next: Keyword | ''): boolean {
  return (keyword === 'GROUP' || keyword === 'ORDER') && next !== 'BY';
}

function symbolHint(symbol: string): string | undefined {
  if (symbol === '-' || symbol === '.')
    return 'a name with other characters than letters, digits and _ stands in backquotes';
  if (symbol === ',') return 'join conditions with AND or OR, and alternatives as (a | b)';
  if (symbol === '|') return ALTERNATIVES;
  return undefined;
}

/** The node pattern that was read last. */
function lastNode(find: FindQuery): NodePattern {
  let last: FindQuery['node'] | HopPattern = find.hops.at(-1) ?? find.node;
  while (last.kind === 'group') last = last.hops.at(-1) ?? find.node;
  return last.kind === 'hop' ? last.target : last;
}
