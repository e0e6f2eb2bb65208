import pg from 'pg';
import type { StepContext } from '../../run/step.ts';
import type { PostgresConfig } from './postgres-config.ts';
import { databaseKey } from './postgres-keys.ts';
import { inDatabase, type PostgresQuery } from './postgres-session.ts';

/** What lies within a database. */
const CONTENTS = ['schema', 'table', 'db_function'];

export interface DatabaseWork<T> {
  read(query: PostgresQuery, database: string): Promise<T>;
  emit(found: T, database: string): void | Promise<void>;
}

/**
 * Reads databases one after the other. A database that refuses it is unread, and the others are read; if all
 * refuse it, or the server cannot be reached, it throws.
 */
export async function inEachDatabase<T>(
  context: StepContext<PostgresConfig>,
  databases: Iterable<string>,
  work: DatabaseWork<T>,
): Promise<void> {
  const refusals = new Map<string, pg.DatabaseError>();
  let readCount = 0;
  for (const database of databases) {
    try {
      const found = await inDatabase(database, context, (query) => work.read(query, database));
      readCount++;
      await work.emit(found, database);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      refusals.set(database, error);
    }
  }
  const [first] = refusals.values();
  if (first !== undefined && readCount === 0) throw first;
  for (const [database, { message }] of refusals) {
    const keyPrefix = `${databaseKey(context.config, database).key}/`;
    context.unread({
      types: CONTENTS,
      keyPrefix,
      reason: `the database ${database} is not read: ${message}`,
    });
  }
}

/** The databases whose schemas an earlier step has read. */
export function readDatabases(context: StepContext<PostgresConfig>): ReadonlySet<string> {
  return new Set(Array.from(context.entities('schema'), ({ properties }) => String(properties['database'])));
}
