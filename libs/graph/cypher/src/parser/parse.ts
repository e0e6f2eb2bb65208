import { completed, DomainError, type Steps } from '#platform/foundation';
import { tokenSteps } from '../lexer/lexer.ts';
import type { Expression, Query, Statement, StatementMode } from '../syntax/ast.ts';
import type { DatabaseCommand } from '../syntax/database-command.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import { Cursor } from './cursor.ts';
import { parseDatabaseCommand } from './database-command.ts';
import { parseExpression } from './expression.ts';
import { parseQuery } from './query.ts';
import { acceptUse, refuseAdministration } from './refused.ts';
import { isSchemaCommand, parseSchemaCommand } from './schema-command.ts';
import { isShow, parseShow } from './show.ts';

/** Maximum length of a statement in UTF-16 units. */
export const STATEMENT_LENGTH_MAX = 1024 * 1024;

/** The tree of a statement. Throws CYPHER_SYNTAX with the place of the first fault; in linear time. */
export function parse(text: string): Statement {
  return completed(parseSteps(text));
}

/** The same, where others may have turns. */
export function parseSteps(text: string): Steps<Statement> {
  return parsed(text, (cursor) => {
    const mode = parseMode(cursor);
    const query = parseWhole(cursor);
    cursor.acceptSymbol(';');
    if (!cursor.isEnd) throw cursor.fault('a clause, or the end of the statement');
    return { mode, query };
  });
}

/** The tree of an expression alone, as after WHERE. Throws CYPHER_SYNTAX like {@link parse}. */
export function parseCondition(text: string): Expression {
  const steps = parsed(text, (cursor) => {
    const condition = parseExpression(cursor);
    if (!cursor.isEnd) throw cursor.fault('the end of the condition');
    return condition;
  });
  return completed(steps);
}

/** No command is longer. */
const COMMAND_LENGTH_MAX = 10_000;
/** How a command begins: a label `Database` elsewhere is no reason to read a text twice. */
const COMMAND_START = /^(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n|$))*(?:create|drop)\b/i;

/** CREATE DATABASE or DROP DATABASE; undefined for any other text, also for one with faults. */
export function parseDatabaseStatement(text: string): DatabaseCommand | undefined {
  const isLikely = COMMAND_START.test(text) && /\bdatabase\b/i.test(text);
  if (text.length > COMMAND_LENGTH_MAX || !isLikely) return undefined;
  const steps = parsed(text, (cursor) => {
    const command = parseDatabaseCommand(cursor);
    if (command === undefined) return undefined;
    cursor.acceptSymbol(';');
    if (!cursor.isEnd) throw cursor.fault('the end of the statement');
    return command;
  });
  return completed(steps);
}

function* parsed<Tree>(text: string, read: (cursor: Cursor) => Tree): Steps<Tree> {
  if (text.length > STATEMENT_LENGTH_MAX) {
    throw new DomainError('CYPHER_SYNTAX', `expected at most ${STATEMENT_LENGTH_MAX} characters`, {
      details: { code: 'Neo.ClientError.Statement.SyntaxError', kind: 'UnexpectedSyntax' },
    });
  }
  try {
    const tokens = yield* tokenSteps(text);
    return read(new Cursor(text, tokens, { expression: parseExpression, query: parseQuery }));
  } catch (error) {
    throw error instanceof SyntaxFault ? error.toDomainError(text) : error;
  }
}

/** A query, a command on the schema, or what SHOW stands for. */
function parseWhole(cursor: Cursor): Query {
  acceptUse(cursor);
  if (isShow(cursor)) return parseShow(cursor);
  if (isSchemaCommand(cursor)) return schemaQuery(cursor);
  refuseAdministration(cursor);
  return cursor.query();
}

function schemaQuery(cursor: Cursor): Query {
  const clause = parseSchemaCommand(cursor);
  return { parts: [[clause]], unions: [], span: clause.span };
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
