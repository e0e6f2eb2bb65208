import type { StepContext } from '../../step/step.ts';
import { globMatcher } from '../glob.ts';
import type { PostgresConfig } from './postgres-config.ts';
import { databaseKey, roleKey, schemaKey, tableKey } from './postgres-keys.ts';
import { inDatabase, type Row } from './postgres-session.ts';

/** Schemas of the system and of temporary tables are left out. */
const IS_OURS = `n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`;

const SCHEMAS = `
  SELECT n.nspname AS name, pg_get_userbyid(n.nspowner) AS owner, obj_description(n.oid, 'pg_namespace') AS comment
  FROM pg_namespace n WHERE ${IS_OURS} ORDER BY n.nspname`;

const TABLES = `
  SELECT n.nspname AS schema, c.relname AS name, c.relkind AS kind, pg_get_userbyid(c.relowner) AS owner,
         obj_description(c.oid, 'pg_class') AS comment, c.relrowsecurity AS row_security,
         (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
           WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND ${IS_OURS} ORDER BY 1, 2`;

const KINDS: Readonly<Record<string, string>> = {
  r: 'table',
  p: 'partitioned table',
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
};
const PII_MARK = /(^|\W)@pii\b/i;

/**
 * Every database must answer: one that does not fails the step, so that the others are not taken for all.
 */
export async function readTables(context: StepContext<PostgresConfig>): Promise<void> {
  for (const { properties } of context.entities('database')) {
    const database = String(properties['name']);
    const [schemas, tables] = await inDatabase(database, context, async (query) => [
      await query(SCHEMAS),
      await query(TABLES),
    ]);
    for (const row of schemas) emitSchema(context, database, row);
    for (const row of tables) emitTable(context, database, row);
  }
}

function emitSchema(context: StepContext<PostgresConfig>, database: string, row: Row): void {
  const { config } = context;
  const name = String(row['name']);
  const key = schemaKey(config, database, name);
  const properties = { name, database, comment: row['comment'] };
  context.emitEntity({ ...key, class: 'Schema', display_name: `${database}.${name}`, properties });
  context.emitRelationship({ from: databaseKey(config, database), verb: 'CONTAINS', to: key });
  context.emitRelationship({ from: roleKey(config, String(row['owner'])), verb: 'OWNS', to: key });
}

function emitTable(context: StepContext<PostgresConfig>, database: string, row: Row): void {
  const { config } = context;
  const schema = String(row['schema']);
  const name = `${schema}.${String(row['name'])}`;
  const comment = typeof row['comment'] === 'string' ? row['comment'] : undefined;
  const key = tableKey(config, database, name);
  context.emitEntity({
    ...key,
    class: 'Table',
    display_name: name,
    properties: {
      name,
      database,
      schema,
      kind: KINDS[String(row['kind'])],
      comment,
      columns: row['columns'] ?? undefined,
      row_security: row['row_security'],
      contains_pii: globMatcher(config.pii)(name) || PII_MARK.test(comment ?? ''),
    },
  });
  context.emitRelationship({ from: schemaKey(config, database, schema), verb: 'CONTAINS', to: key });
  context.emitRelationship({ from: roleKey(config, String(row['owner'])), verb: 'OWNS', to: key });
}
