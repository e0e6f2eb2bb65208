/** Statements of Neo4j that Plexus does not have: refused by their name, with what serves instead. */
import { DEFAULT_NAMES } from '../syntax/database-command.ts';
import { SyntaxFault } from '../syntax/fault.ts';
import type { StatusCode } from '../syntax/fault.ts';
import type { Cursor } from './cursor.ts';

interface Refusal {
  readonly hint: string;
  /** Default: that of an administration command. */
  readonly code?: StatusCode;
}

const DATABASES: Refusal = {
  hint: 'further databases are made, removed and asked over Bolt: CREATE DATABASE name, alone in a session',
};
const USERS: Refusal = { hint: 'who may do what is in a keys file: plexus keys' };
const SERVERS: Refusal = { hint: 'nodes of a shared store find each other: docs/cluster.md' };
const TRANSACTIONS: Refusal = {
  hint: 'RESET over Bolt ends what a client runs; every transaction ends at PLEXUS_BOLT_TX_TIMEOUT',
};
const SETTINGS: Refusal = { hint: 'settings are environment variables: plexus serve --help' };

const LOAD: Refusal = {
  hint: 'send rows as a parameter, UNWIND $rows AS row …, or import a file: docs/connectors.md',
  code: 'Neo.ClientError.Statement.SyntaxError',
};

/** By the words at the start of a statement, the longest first. */
const REFUSALS: readonly (readonly [words: readonly string[], Refusal])[] = [
  ...['CREATE', 'CREATE OR REPLACE', 'DROP', 'ALTER', 'START', 'STOP', 'SHOW', 'RENAME'].flatMap((verb) => {
    const of = (words: string, refusal: Refusal) => [`${verb} ${words}`.split(' '), refusal] as const;
    return [
      ...['COMPOSITE DATABASE', 'DATABASE', 'ALIAS', 'ALIASES'].map((word) => of(word, DATABASES)),
      ...['CURRENT USER', 'USERS', 'USER', 'IMMUTABLE ROLE', 'ROLES', 'ROLE'].map((word) => of(word, USERS)),
      ...['SERVERS', 'SERVER'].map((word) => of(word, SERVERS)),
    ];
  }),
  ...[
    'ALL',
    'SUPPORTED',
    'POPULATED',
    'USER',
    'ROLE',
    'ROLES',
    'USERS',
    'PRIVILEGE',
    'PRIVILEGES',
    'AUTH',
  ].map((word) => [['SHOW', word], USERS] as const),
  ...['GRANT', 'DENY', 'REVOKE'].map((word) => [[word], USERS] as const),
  ...['ENABLE', 'DRYRUN', 'REALLOCATE', 'DEALLOCATE'].map((word) => [[word], SERVERS] as const),
  ...['SHOW', 'TERMINATE'].flatMap((verb) =>
    ['TRANSACTIONS', 'TRANSACTION'].map((word) => [[verb, word], TRANSACTIONS] as const),
  ),
  ...['SETTINGS', 'SETTING'].map((word) => [['SHOW', word], SETTINGS] as const),
  [['USING', 'PERIODIC', 'COMMIT'], { ...LOAD, hint: 'write CALL { … } IN TRANSACTIONS' }],
];

/** Throws for a statement that administers a server. */
export function refuseAdministration(cursor: Cursor): void {
  // `CREATE user = (a)-->(b)` names a path.
  const found = REFUSALS.find(([words]) => cursor.isPhrase(...words) && !cursor.isSymbol('=', words.length));
  if (found !== undefined) throw refused(cursor, found);
}

export function refuseLoad(cursor: Cursor): never {
  throw refused(cursor, [['LOAD', 'CSV'], LOAD]);
}

function refused(
  cursor: Cursor,
  [words, { hint, code }]: readonly [readonly string[], Refusal],
): SyntaxFault {
  const span = { start: cursor.token.start, end: cursor.peek(words.length - 1).end };
  return new SyntaxFault('NotSupported', span, `${words.join(' ')} is not supported`, {
    code: code ?? 'Neo.ClientError.Statement.UnsupportedAdministrationCommand',
    hint,
  });
}

/** `USE neo4j` before a query. */
export function acceptUse(cursor: Cursor): void {
  if (!cursor.isKeyword('USE') || !cursor.isName(1)) return;
  cursor.advance();
  const start = cursor.token;
  let name = cursor.expectName('the name of a database').text;
  while (cursor.acceptSymbol('.')) name += `.${cursor.expectName('the name of a database').text}`;
  if (DEFAULT_NAMES.has(name.toLowerCase()) && !cursor.isSymbol('(')) return;
  const what = cursor.isSymbol('(') ? `${name}(…)` : name;
  throw new SyntaxFault('NotSupported', cursor.spanFrom(start), `there is no database ${what}`, {
    code: 'Neo.ClientError.Database.DatabaseNotFound',
    hint: 'a session names its database: session({ database })',
  });
}
