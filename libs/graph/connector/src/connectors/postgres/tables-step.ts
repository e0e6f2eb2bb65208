import type { StepContext } from '../../run/step.ts';
import { inEachDatabase } from './each-database.ts';
import { type PersonalTables, personalTables, type TableFacts } from './personal-data.ts';
import type { PostgresConfig } from './postgres-config.ts';
import { databaseKey, roleKey, schemaKey, tableKey, tableName } from './postgres-keys.ts';
import { IS_OURS, nameOf, type PostgresQuery, type PostgresRow } from './postgres-session.ts';

const SCHEMAS = `
  SELECT n.nspname AS name, pg_get_userbyid(n.nspowner) AS owner, obj_description(n.oid, 'pg_namespace') AS comment
  FROM pg_namespace n WHERE ${IS_OURS} ORDER BY n.nspname`;

const TABLES = `
  SELECT n.nspname AS schema, c.relname AS name, c.relkind AS kind, pg_get_userbyid(c.relowner) AS owner,
         obj_description(c.oid, 'pg_class') AS comment, c.relrowsecurity AS row_security,
         (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
           WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
         CASE WHEN c.relkind = 'v' THEN coalesce((SELECT bool_or(o.option_value::bool)
           FROM pg_options_to_table(c.reloptions) o WHERE o.option_name = 'security_invoker'), false)
           END AS security_invoker
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND ${IS_OURS} ORDER BY 1, 2`;

/** Comments and security labels with a mark, of schemas (without a name), tables and columns. */
const NOTES = `
  WITH notes AS (
    SELECT classoid, objoid, objsubid, description AS text FROM pg_description WHERE description ILIKE '%@pii%'
    UNION ALL SELECT classoid, objoid, objsubid, label FROM pg_seclabel WHERE label ILIKE '%@pii%'
  )
  SELECT n.nspname AS schema, c.relname AS name, a.attname AS column, d.text
  FROM notes d JOIN pg_class c ON c.oid = d.objoid JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid AND a.attnum > 0
  WHERE d.classoid = 'pg_class'::regclass AND ${IS_OURS}
  UNION ALL
  SELECT n.nspname, NULL, NULL, d.text FROM notes d JOIN pg_namespace n ON n.oid = d.objoid
  WHERE d.classoid = 'pg_namespace'::regclass AND ${IS_OURS}`;

/** The direct dependencies of each view. */
const READS = `
  SELECT DISTINCT vn.nspname AS schema, v.relname AS name, n.nspname AS other_schema, c.relname AS other_name
  FROM pg_rewrite r
  JOIN pg_class v ON v.oid = r.ev_class AND v.relkind IN ('v', 'm')
  JOIN pg_namespace vn ON vn.oid = v.relnamespace
  JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
    AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> v.oid
  JOIN pg_class c ON c.oid = d.refobjid AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE ${IS_OURS} AND vn.nspname !~ '^pg_' AND vn.nspname <> 'information_schema' ORDER BY 1, 2, 3, 4`;

/** Partitions and inheriting tables, whose rows a query of the parent includes. */
const CHILDREN = `
  SELECT n.nspname AS schema, c.relname AS name, cn.nspname AS other_schema, child.relname AS other_name
  FROM pg_inherits i
  JOIN pg_class c ON c.oid = i.inhparent AND c.relkind IN ('r', 'p', 'f')
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_class child ON child.oid = i.inhrelid
  JOIN pg_namespace cn ON cn.oid = child.relnamespace
  WHERE ${IS_OURS} AND cn.nspname !~ '^pg_' ORDER BY 1, 2, 3, 4`;

/** Foreign keys as declared; those that partitions inherit are left out. */
const FOREIGN_KEYS = `
  SELECT n.nspname AS schema, c.relname AS name, fn.nspname AS other_schema, f.relname AS other_name,
         k.conname AS constraint,
         (SELECT array_agg(a.attname::text ORDER BY u.at) FROM unnest(k.conkey) WITH ORDINALITY u (number, at)
           JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.number) AS columns,
         (SELECT array_agg(a.attname::text ORDER BY u.at) FROM unnest(k.confkey) WITH ORDINALITY u (number, at)
           JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.number) AS other_columns
  FROM pg_constraint k
  JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_class f ON f.oid = k.confrelid JOIN pg_namespace fn ON fn.oid = f.relnamespace
  WHERE k.contype = 'f' AND k.conparentid = 0 AND ${IS_OURS} ORDER BY 1, 2, 5`;

const KINDS: Readonly<Record<string, string>> = {
  r: 'table',
  p: 'partitioned table',
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
};

interface FoundTables extends TableFacts {
  readonly database: string;
  readonly schemas: readonly PostgresRow[];
  readonly foreignKeys: readonly PostgresRow[];
}

export async function readTables(context: StepContext<PostgresConfig>): Promise<void> {
  const names = Array.from(context.entities('database'), ({ properties }) => String(properties['name']));
  await inEachDatabase(context, names, {
    read: readFacts,
    emit: (found) => {
      emitTables(context, found);
    },
  });
}

async function readFacts(query: PostgresQuery, database: string): Promise<FoundTables> {
  return {
    database,
    schemas: await query(SCHEMAS),
    tables: await query(TABLES),
    notes: await query(NOTES),
    read: namesByName(await query(READS)),
    children: namesByName(await query(CHILDREN)),
    foreignKeys: await query(FOREIGN_KEYS),
  };
}

function emitTables(context: StepContext<PostgresConfig>, found: FoundTables): void {
  const personal = personalTables(context.config, found);
  for (const row of found.schemas) emitSchema(context, found.database, row);
  for (const row of found.tables) emitTable(context, { database: found.database, row, personal });
  emitReads(context, found, 'view');
  emitReads(context, found, 'inheritance');
  for (const row of found.foreignKeys) emitForeignKey(context, found.database, row);
}

/** The names of others, by the name of each table. */
function namesByName(rows: readonly PostgresRow[]): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const row of rows) {
    names.set(nameOf(row), (names.get(nameOf(row)) ?? new Set()).add(otherOf(row)));
  }
  return names;
}

function otherOf(row: PostgresRow): string {
  return tableName(String(row['other_schema']), String(row['other_name']));
}

function emitReads(
  context: StepContext<PostgresConfig>,
  { database, read, children }: FoundTables,
  by: 'view' | 'inheritance',
): void {
  for (const [reader, names] of by === 'view' ? read : children) {
    for (const name of names) {
      const from = tableKey(context.config, database, reader);
      const to = tableKey(context.config, database, name);
      context.emitRelationship({ from, verb: 'DEPENDS_ON', to, properties: { by } });
    }
  }
}

function emitForeignKey(context: StepContext<PostgresConfig>, database: string, row: PostgresRow): void {
  context.emitRelationship({
    from: tableKey(context.config, database, nameOf(row)),
    verb: 'REFERENCES',
    to: tableKey(context.config, database, otherOf(row)),
    key: String(row['constraint']),
    properties: { columns: row['columns'], referenced_columns: row['other_columns'] },
  });
}

function emitSchema(context: StepContext<PostgresConfig>, database: string, row: PostgresRow): void {
  const { config } = context;
  const name = String(row['name']);
  const key = schemaKey(config, database, name);
  const properties = { name, database, comment: row['comment'] };
  context.emitEntity({ ...key, class: 'Schema', display_name: `${database}.${name}`, properties });
  context.emitRelationship({ from: databaseKey(config, database), verb: 'CONTAINS', to: key });
  emitOwner(context, row, key);
}

interface FoundTable {
  readonly database: string;
  readonly row: PostgresRow;
  readonly personal: PersonalTables;
}

function emitTable(context: StepContext<PostgresConfig>, { database, row, personal }: FoundTable): void {
  const { config } = context;
  const schema = String(row['schema']);
  const name = nameOf(row);
  const piiColumns = personal.get(name) ?? [];
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
      comment: row['comment'] ?? undefined,
      columns: row['columns'] ?? undefined,
      row_security: row['row_security'],
      security_invoker: row['security_invoker'] ?? undefined,
      contains_pii: personal.has(name),
      pii_columns: piiColumns.length > 0 ? piiColumns : undefined,
    },
  });
  context.emitRelationship({ from: schemaKey(config, database, schema), verb: 'CONTAINS', to: key });
  emitOwner(context, row, key);
}

/** The owner may have been dropped or created since the roles were read. */
export function emitOwner(
  context: StepContext<PostgresConfig>,
  { owner }: PostgresRow,
  to: { readonly type: string; readonly key: string },
): void {
  const from = roleKey(context.config, String(owner));
  if (context.has(from.type, from.key)) context.emitRelationship({ from, verb: 'OWNS', to });
}
