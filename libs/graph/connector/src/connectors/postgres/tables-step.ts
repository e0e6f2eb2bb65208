import type { StepContext } from '../../run/step.ts';
import type { PostgresConfig } from './postgres-config.ts';
import { databaseKey, roleKey, schemaKey, tableKey, tableName } from './postgres-keys.ts';
import { inDatabase, type PostgresRow } from './postgres-session.ts';

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

/** The direct dependencies of each view. */
const READS = `
  SELECT DISTINCT vn.nspname AS schema, v.relname AS name, n.nspname AS read_schema, c.relname AS read_name
  FROM pg_rewrite r
  JOIN pg_class v ON v.oid = r.ev_class AND v.relkind IN ('v', 'm')
  JOIN pg_namespace vn ON vn.oid = v.relnamespace
  JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
    AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> v.oid
  JOIN pg_class c ON c.oid = d.refobjid AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE ${IS_OURS} AND vn.nspname !~ '^pg_' AND vn.nspname <> 'information_schema' ORDER BY 1, 2, 3, 4`;

const KINDS: Readonly<Record<string, string>> = {
  r: 'table',
  p: 'partitioned table',
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
};
const PII_MARK = /(^|\W)@pii\b/i;

/** Every database must answer: otherwise the step fails, since the result would be incomplete. */
export async function readTables(context: StepContext<PostgresConfig>): Promise<void> {
  for (const { properties } of context.entities('database')) {
    const database = String(properties['name']);
    const [schemas, tables, reads] = await inDatabase(database, context, async (query) => [
      await query(SCHEMAS),
      await query(TABLES),
      await query(READS),
    ]);
    for (const row of schemas) emitSchema(context, database, row);
    const read = readTablesOf(reads);
    const personal = personalData(context.config, tables, read);
    for (const row of tables) emitTable(context, { database, row, contains_pii: personal.has(nameOf(row)) });
    emitReads(context, database, read);
  }
}

/** The names of the tables that a view reads, by the name of the view. */
function readTablesOf(reads: readonly PostgresRow[]): ReadonlyMap<string, ReadonlySet<string>> {
  const read = new Map<string, Set<string>>();
  for (const row of reads) {
    const from = read.get(nameOf(row)) ?? new Set();
    read.set(nameOf(row), from.add(tableName(String(row['read_schema']), String(row['read_name']))));
  }
  return read;
}

/** Names of tables marked as personal data, and of views that read them directly or through other views. */
function personalData(
  config: PostgresConfig,
  tables: readonly PostgresRow[],
  read: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const isWanted = globMatcher(config.pii);
  const isMarked = (row: PostgresRow): boolean =>
    isWanted(`${String(row['schema'])}.${String(row['name'])}`) || PII_MARK.test(commentOf(row) ?? '');
  const found = new Set(tables.filter(isMarked).map(nameOf));
  const readers = new Map<string, string[]>();
  for (const [view, names] of read) {
    for (const name of names) readers.set(name, [...(readers.get(name) ?? []), view]);
  }
  // Iterating a Set includes the values added meanwhile.
  for (const name of found) for (const view of readers.get(name) ?? []) found.add(view);
  return found;
}

function emitReads(
  context: StepContext<PostgresConfig>,
  database: string,
  read: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  for (const [view, names] of read) {
    for (const name of names) {
      const from = tableKey(context.config, database, view);
      const to = tableKey(context.config, database, name);
      context.emitRelationship({ from, verb: 'DEPENDS_ON', to });
    }
  }
}

function nameOf(row: PostgresRow): string {
  return tableName(String(row['schema']), String(row['name']));
}

function emitSchema(context: StepContext<PostgresConfig>, database: string, row: PostgresRow): void {
  const { config } = context;
  const name = String(row['name']);
  const key = schemaKey(config, database, name);
  const properties = { name, database, comment: row['comment'] };
  context.emitEntity({ ...key, class: 'Schema', display_name: `${database}.${name}`, properties });
  context.emitRelationship({ from: databaseKey(config, database), verb: 'CONTAINS', to: key });
  context.emitRelationship({ from: roleKey(config, String(row['owner'])), verb: 'OWNS', to: key });
}

interface FoundTable {
  readonly database: string;
  readonly row: PostgresRow;
  readonly contains_pii: boolean;
}

function emitTable(context: StepContext<PostgresConfig>, { database, row, contains_pii }: FoundTable): void {
  const { config } = context;
  const schema = String(row['schema']);
  const name = nameOf(row);
  const comment = commentOf(row);
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
      contains_pii,
    },
  });
  context.emitRelationship({ from: schemaKey(config, database, schema), verb: 'CONTAINS', to: key });
  context.emitRelationship({ from: roleKey(config, String(row['owner'])), verb: 'OWNS', to: key });
}

function commentOf({ comment }: PostgresRow): string | undefined {
  return typeof comment === 'string' ? comment : undefined;
}

/** A pattern in which `*` stands for any characters and `?` for one; the whole text must match. */
export function globMatcher(patterns: readonly string[]): (text: string) => boolean {
  const expressions = patterns.map((pattern) => {
    const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*');
    return new RegExp(`^${escaped.replaceAll('?', '.')}$`, 's');
  });
  return (text) => expressions.some((expression) => expression.test(text));
}
