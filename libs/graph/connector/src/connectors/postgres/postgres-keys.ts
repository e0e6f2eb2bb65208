import type { EntityKey } from '#graph/model';
import type { PostgresConfig } from './postgres-config.ts';

/** Stands for every role there is, in grants. No role can have the name: it is reserved. */
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

/** `table` as {@link tableName} gives it. */
export function tableKey(config: PostgresConfig, database: string, table: string): EntityKey {
  return { type: 'table', key: `${databaseKey(config, database).key}/${table}` };
}

/** `schema.table`; a part that has a dot, a slash or a quote in it is quoted as in SQL. */
export function tableName(schema: string, table: string): string {
  return `${quoted(schema)}.${quoted(table)}`;
}

function quoted(name: string): string {
  return /[./"]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

function instanceOf({ instance, host, port }: PostgresConfig): string {
  return instance ?? `${host}:${port}`;
}
