import type { Span } from './ast.ts';
import { runtimeFault } from './fault.ts';

/** A statement that makes or removes a database, which no graph answers. */
export interface DatabaseCommand {
  readonly verb: 'create' | 'drop';
  readonly name:
    { readonly text: string; readonly span: Span } | { readonly parameter: string; readonly span: Span };
  /** IF NOT EXISTS, or IF EXISTS. */
  readonly isLenient: boolean;
  /** OR REPLACE. */
  readonly isReplacing: boolean;
  /** WAIT: the result has a row. The command is done in any case when it answers. */
  readonly waits: boolean;
  readonly span: Span;
}

/** The names of the database that REST and PQL serve. */
export const DEFAULT_NAMES: ReadonlySet<string> = new Set(['neo4j', 'plexus']);
export const DEFAULT_DATABASE = 'neo4j';
/** It tells of databases and of the server, and has no graph. */
export const SYSTEM_DATABASE = 'system';

/** Neo4j's rule; the name is that of a directory as well. */
const NAME = /^[a-z](?:[a-z0-9.-]{1,61})[a-z0-9]$/;

/** In lower case, as names are compared; throws CYPHER_FAILED for what is no name of a new database. */
export function newDatabaseName(text: string): string {
  const name = text.toLowerCase();
  if (NAME.test(name) && !name.startsWith('system')) return name;
  throw runtimeFault(
    'InvalidArgumentValue',
    'Neo.ClientError.Statement.ArgumentError',
    `expected a name of 3 to 63 letters, digits, dots and dashes that begins with a letter, and not with system, got ${text}`,
  );
}
