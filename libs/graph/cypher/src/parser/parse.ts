import { DomainError } from '#platform/foundation';
import { tokensOf } from '../lexer/lexer.ts';
import type { Token } from '../lexer/token.ts';
import type { Statement, StatementMode } from '../syntax/ast.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { Cursor } from './cursor.ts';
import { parseExpression } from './expression.ts';
import { parseQuery } from './query.ts';

/** Maximum length of a statement in UTF-16 units. */
export const STATEMENT_LENGTH_MAX = 1024 * 1024;

/** The tree of a statement. Throws CYPHER_SYNTAX with the place of the first fault; in linear time. */
export function parse(text: string): Statement {
  if (text.length > STATEMENT_LENGTH_MAX) {
    throw new DomainError('CYPHER_SYNTAX', `expected at most ${STATEMENT_LENGTH_MAX} characters`, {
      details: { code: 'Neo.ClientError.Statement.SyntaxError', kind: 'UnexpectedSyntax' },
    });
  }
  try {
    return parseStatement(text);
  } catch (error) {
    throw error instanceof SyntaxFault ? error.toDomainError(text) : error;
  }
}

function parseStatement(text: string): Statement {
  const [first, ...rest] = tokensOf(text);
  const end: Token = { kind: 'end', start: 0, end: 0, text: '', keyword: '' };
  const cursor = new Cursor(text, [first ?? end, ...rest], {
    expression: parseExpression,
    query: parseQuery,
  });
  const mode = parseMode(cursor);
  const query = cursor.query();
  cursor.acceptSymbol(';');
  if (!cursor.isEnd) throw cursor.fault('a clause, or the end of the statement');
  return { mode, query };
}

function parseMode(cursor: Cursor): StatementMode {
  // `CYPHER 5`, `CYPHER runtime=slotted`: options of a planner that ours has not.
  if (cursor.acceptPhrase('CYPHER')) skipOptions(cursor);
  if (cursor.acceptPhrase('EXPLAIN')) return 'explain';
  return cursor.acceptPhrase('PROFILE') ? 'profile' : 'run';
}

function skipOptions(cursor: Cursor): void {
  if (cursor.token.kind === 'integer' || cursor.token.kind === 'float') cursor.advance();
  while (cursor.isName() && cursor.isSymbol('=', 1)) {
    cursor.advance();
    cursor.advance();
    cursor.advance();
  }
}
