import type { DatabaseCommand } from '../syntax/database-command.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import type { Cursor } from './cursor.ts';

/** CREATE DATABASE and DROP DATABASE; undefined, and nothing passed, for any other statement. */
export function parseDatabaseCommand(cursor: Cursor): DatabaseCommand | undefined {
  const verb = commandAt(cursor);
  if (verb === undefined) return undefined;
  const start = cursor.token;
  const isReplacing = cursor.isKeyword('OR', 1);
  while (!cursor.acceptPhrase('DATABASE')) cursor.advance();
  const name = parseName(cursor);
  const isLenient =
    verb === 'create' ? cursor.acceptPhrase('IF', 'NOT', 'EXISTS') : cursor.acceptPhrase('IF', 'EXISTS');
  if (verb === 'drop') acceptDestroy(cursor);
  return { verb, name, isLenient, isReplacing, waits: acceptWait(cursor), span: cursor.spanFrom(start) };
}

/** `CREATE DATABASE = (a)-->(b)` names a path. */
function commandAt(cursor: Cursor): DatabaseCommand['verb'] | undefined {
  if (cursor.isPhrase('CREATE', 'OR', 'REPLACE', 'DATABASE')) return 'create';
  if (cursor.isPhrase('CREATE', 'DATABASE') && !cursor.isSymbol('=', 2)) return 'create';
  return cursor.isPhrase('DROP', 'DATABASE') ? 'drop' : undefined;
}

function parseName(cursor: Cursor): DatabaseCommand['name'] {
  const { token } = cursor;
  const span = { start: token.start, end: token.end };
  if (token.kind === 'parameter') return { parameter: cursor.advance().text, span };
  let { text } = cursor.expectName('the name of a database');
  // Dots are part of a name; a dash needs backquotes.
  while (cursor.acceptSymbol('.')) text += `.${cursor.expectName('the name of a database').text}`;
  return { text, span: cursor.spanFrom(token) };
}

function acceptDestroy(cursor: Cursor): void {
  const { token } = cursor;
  if (cursor.acceptPhrase('DESTROY', 'DATA') || !cursor.acceptPhrase('DUMP', 'DATA')) return;
  throw new SyntaxFault('NotSupported', cursor.spanFrom(token), 'DUMP DATA is not supported', {
    code: 'Neo.ClientError.Statement.UnsupportedAdministrationCommand',
    hint: 'its directory, databases/<name> in the data directory, can be copied while the server is stopped',
  });
}

function acceptWait(cursor: Cursor): boolean {
  if (cursor.acceptPhrase('NOWAIT') || !cursor.acceptPhrase('WAIT')) return false;
  if (cursor.token.kind === 'integer') {
    cursor.advance();
    const isUnit = ['SEC', 'SECOND', 'SECONDS'].some((unit) => cursor.acceptPhrase(unit));
    if (!isUnit && !cursor.isEnd && !cursor.isSymbol(';')) throw cursor.fault('SECONDS');
  }
  return true;
}
