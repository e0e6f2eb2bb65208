import type { EntityKey } from '#model';
import type { PostgresConfig } from './postgres-config.ts';

/** Stands for every role there is, in grants. No role can have the name: it is reserved. */
export const PUBLIC_ROLE = 'public';

export function roleKey(config: PostgresConfig, role: string): EntityKey {
  return { type: 'db_role', key: `${instanceOf(config)}/${role}` };
}

export function databaseKey(config: PostgresConfig, database: string): EntityKey {
  return { type: 'database', key: `${instanceOf(config)}/${database}` };
}

export function schemaKey(config: PostgresConfig, database: string, schema: string): EntityKey {
  return { type: 'schema', key: `${instanceOf(config)}/${database}/${schema}` };
}

export function tableKey(config: PostgresConfig, database: string, table: string): EntityKey {
  return { type: 'table', key: `${instanceOf(config)}/${database}/${table}` };
}

function instanceOf({ instance, host, port }: PostgresConfig): string {
  return instance ?? `${host}:${port}`;
}
