import type { DomainError } from '#platform/foundation';
import type { FindQuery, Hop, NodePattern, Query, VerbPattern } from '../ast/ast.ts';
import { keywordOf, type Keyword } from '../lexer/keyword.ts';
import type { Cursor } from './cursor.ts';

const CLAUSE_ORDER = 'the order of clauses is WHERE, GROUP BY, HAVING, RETURN, ORDER BY, SKIP, LIMIT, AS OF';
/** The correct form of a bare `a | b`. */
export const ALTERNATIVES = 'write alternatives in parentheses: (a | b)';

const CLAUSES: ReadonlySet<Keyword | ''> = new Set(['WHERE', 'GROUP', 'RETURN', 'ORDER', 'SKIP', 'LIMIT']);

const FUNCTIONS = 'values are computed with + - * / and CONCAT; other functions are asked in Cypher';
const OTHER_CHARACTERS = 'a name with characters other than letters, digits and _ needs backquotes';

const SYMBOL_HINTS: ReadonlyMap<string, string> = new Map([
  ['-', OTHER_CHARACTERS],
  ['.', OTHER_CHARACTERS],
  [',', 'join conditions with AND or OR, and alternatives as (a | b)'],
  ['|', ALTERNATIVES],
]);

/** The fault of text after the end of the query, with a hint at the probable intention. */
export function endFault(cursor: Cursor, body: Query['body']): DomainError {
  return cursor.fault('the end of the query', { hint: hintOf(cursor, body) });
}

function hintOf(cursor: Cursor, body: Query['body']): string | undefined {
  if (body.kind !== 'find') return undefined;
  const { kind, text } = cursor.token;
  if (text === '(' && body.returns?.span.end === cursor.previous.end) return FUNCTIONS;
  return keywordHint(cursor) ?? (kind === 'symbol' ? SYMBOL_HINTS.get(text) : patternHint(cursor, body));
}

/** A hint for a clause in the wrong place. */
function keywordHint(cursor: Cursor): string | undefined {
  const { keyword, text } = cursor.token;
  if (keyword === 'HAVING') return 'HAVING follows GROUP BY';
  if (keyword === 'AND' || keyword === 'OR')
    return 'a condition is written WITH a = 1 AND b = 2, before AS or behind it';
  const isHalf = (keyword === 'GROUP' || keyword === 'ORDER') && cursor.peek().keyword !== 'BY';
  if (isHalf) return `${text} is followed by BY`;
  return CLAUSES.has(keyword) ? CLAUSE_ORDER : undefined;
}

/** A hint for a word right after the last node pattern. */
function patternHint(cursor: Cursor, find: FindQuery): string | undefined {
  const hop = lastHop(find);
  const { span, alias, filter } = hop?.target ?? find.node;
  if (span.end !== cursor.previous.end) return undefined;
  if (hop !== undefined && isClause(hop.target)) return verbHint(hop.verbs);
  if (!cursor.isName()) return undefined;
  if (filter?.span.end === span.end) return 'join conditions with AND or OR';
  return alias === undefined ? `an alias is written AS ${cursor.token.text}` : undefined;
}

/** Whether the parsed class is the start of a clause: then the parsed verb was meant as the class. */
function isClause({ names }: NodePattern): boolean {
  const [name] = names;
  return typeof name === 'object' && names.length === 1 && CLAUSES.has(keywordOf(name.text));
}

/** The last parsed hop. */
function lastHop(find: FindQuery): Hop | undefined {
  let last = find.hops.at(-1);
  while (last?.kind === 'group') last = last.hops.at(-1);
  return last;
}

/** A hint for a missing or implausible class after verbs. */
export function verbHint({ names }: VerbPattern): string {
  const [first] = names;
  return typeof first === 'object'
    ? `\`${first.text}\` was read as the verb`
    : 'RELATES TO was read as the verb';
}
