import type { EntityKey } from '#graph/model';
import type { PostgresConfig } from './postgres-config.ts';

/** Represents every role in grants. The name is reserved, so no role can have it. */
export const PUBLIC_ROLE = 'public';

export function roleKey(config: PostgresConfig, role: string): EntityKey {
  return { type: 'db_role', key: `${instanceOf(config)}/${role}` };
}

export function databaseKey(config: PostgresConfig, database: string): EntityKey {
  return { type: 'database', key: `${instanceOf(config)}/${quoted(database)}` };
}

export function schemaKey(config: PostgresConfig, database: string, schema: string): EntityKey {
  return { type: 'schema', key: `${databaseKey(config, database).key}/${quoted(schema)}` };
}

/** `table` in the form of {@link tableName}. */
export function tableKey(config: PostgresConfig, database: string, table: string): EntityKey {
  return { type: 'table', key: `${databaseKey(config, database).key}/${table}` };
}

/** `name` with the types of the arguments: `public.f(integer, text)`. */
export function functionKey(config: PostgresConfig, database: string, name: string): EntityKey {
  return { type: 'db_function', key: `${databaseKey(config, database).key}/${name}` };
}

/** `schema.table`; a part with a dot, a slash or a quote is quoted as in SQL. */
export function tableName(schema: string, table: string): string {
  return `${quoted(schema)}.${quoted(table)}`;
}

function quoted(name: string): string {
  return /[./"]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

function instanceOf({ instance, host, port }: PostgresConfig): string {
  return instance ?? `${host}:${port}`;
}
