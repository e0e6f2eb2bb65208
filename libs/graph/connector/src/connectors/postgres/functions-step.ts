import type { EntityInput } from '#graph/model';
import type { StepContext } from '../../run/step.ts';
import { inEachDatabase, readDatabases } from './each-database.ts';
import { namedTables, type TableNames } from './named-tables.ts';
import type { PostgresConfig } from './postgres-config.ts';
import { functionKey, PUBLIC_ROLE, roleKey, schemaKey, tableKey, tableName } from './postgres-keys.ts';
import { IS_OURS, nameOf, type PostgresQuery, type PostgresRow } from './postgres-session.ts';
import { emitOwner } from './tables-step.ts';

/** Functions and procedures that run with the rights of their owner; triggers cannot be called. */
const FUNCTIONS = `
  SELECT p.oid, n.nspname AS schema, p.proname AS name, oidvectortypes(p.proargtypes) AS arguments,
         pg_get_userbyid(p.proowner) AS owner, l.lanname AS language, p.prosrc AS body,
         to_jsonb(p) ->> 'prosqlbody' IS NOT NULL AS parsed, obj_description(p.oid, 'pg_proc') AS comment
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
  WHERE p.prosecdef AND p.prokind IN ('f', 'p') AND ${IS_OURS}
    AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype) ORDER BY 2, 3, 4`;

/** Tables that the catalog knows: those of a parsed body, and the table whose rows a function returns. */
const KNOWN_TABLES = `
  SELECT DISTINCT p.oid, n.nspname AS schema, c.relname AS name
  FROM pg_proc p
  LEFT JOIN pg_type r ON r.oid = p.prorettype
  LEFT JOIN pg_type e ON e.oid = r.typelem
  JOIN pg_class c ON c.relkind IN ('r', 'p', 'v', 'm', 'f') AND (c.oid IN (r.typrelid, e.typrelid) OR EXISTS (
    SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid
      AND d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid))
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE p.prosecdef AND ${IS_OURS} ORDER BY 1, 2, 3`;

const CALLERS = `
  SELECT p.oid, r.name AS role
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  JOIN pg_database d ON d.datname = current_database(),
       (SELECT oid, rolname::text AS name FROM pg_roles UNION ALL SELECT 0, '${PUBLIC_ROLE}') r
  WHERE p.prosecdef AND ${IS_OURS} AND has_function_privilege(r.oid, p.oid, 'EXECUTE')
    AND has_schema_privilege(r.oid, n.oid, 'USAGE') AND has_database_privilege(r.oid, d.oid, 'CONNECT')
  ORDER BY 1, 2`;

/** Languages whose bodies are text. */
const TEXT_LANGUAGES: readonly unknown[] = ['sql', 'plpgsql'];

interface FoundFunctions {
  readonly database: string;
  readonly functions: readonly PostgresRow[];
  readonly known: ReadonlyMap<unknown, readonly PostgresRow[]>;
  readonly callers: ReadonlyMap<unknown, readonly PostgresRow[]>;
}

export async function readFunctions(context: StepContext<PostgresConfig>): Promise<void> {
  await inEachDatabase(context, readDatabases(context), {
    read: readFacts,
    emit: (found, database) => {
      const tables = tablesOf(context, database);
      for (const row of found.functions) emitFunction(context, found, { row, tables });
    },
  });
}

async function readFacts(query: PostgresQuery, database: string): Promise<FoundFunctions> {
  return {
    database,
    functions: await query(FUNCTIONS),
    known: Map.groupBy(await query(KNOWN_TABLES), ({ oid }) => oid),
    callers: Map.groupBy(await query(CALLERS), ({ oid }) => oid),
  };
}

/** The tables of a database, by name. */
function tablesOf(context: StepContext<PostgresConfig>, database: string): ReadonlyMap<string, EntityInput> {
  const tables = [...context.entities('table')].filter(
    ({ properties }) => properties['database'] === database,
  );
  return new Map(tables.map((table) => [String(table.properties['name']), table]));
}

interface FoundFunction {
  readonly row: PostgresRow;
  readonly tables: ReadonlyMap<string, EntityInput>;
}

function emitFunction(
  context: StepContext<PostgresConfig>,
  { database, known, callers }: FoundFunctions,
  { row, tables }: FoundFunction,
): void {
  const { config } = context;
  const { oid, schema, language, parsed } = row;
  const name = `${nameOf(row)}(${String(row['arguments'])})`;
  const key = functionKey(config, database, name);
  const isText = parsed !== true && TEXT_LANGUAGES.includes(language);
  const certain = new Set((known.get(oid) ?? []).map(nameOf).filter((table) => tables.has(table)));
  const named = isText ? namedTables(String(row['body']), namesOf(tables)) : [];
  const read = new Set([...certain, ...named]);
  context.emitEntity({
    ...key,
    class: 'Function',
    display_name: name,
    properties: {
      name,
      database,
      schema,
      language,
      comment: row['comment'] ?? undefined,
      security_definer: true,
      // A parsed body names exactly what it reads; a text may, and other languages say nothing.
      tables_from: parsed === true ? 'catalog' : isText ? 'text' : 'unknown',
      contains_pii: [...read].some((table) => tables.get(table)?.properties['contains_pii'] === true),
    },
  });
  context.emitRelationship({ from: schemaKey(config, database, String(schema)), verb: 'CONTAINS', to: key });
  emitOwner(context, row, key);
  for (const table of read) {
    const to = tableKey(config, database, table);
    const by = certain.has(table) ? 'catalog' : 'text';
    context.emitRelationship({ from: key, verb: 'DEPENDS_ON', to, properties: { by } });
  }
  for (const { role } of callers.get(oid) ?? []) {
    const from = roleKey(config, String(role));
    if (context.has(from.type, from.key)) context.emitRelationship({ from, verb: 'CAN_EXECUTE', to: key });
  }
}

function namesOf(tables: ReadonlyMap<string, EntityInput>): TableNames {
  const names = new Map<string, string[]>();
  for (const [name, { properties }] of tables) {
    const schema = String(properties['schema']);
    const bare = name.slice(tableName(schema, '').length);
    names.set(bare, [...(names.get(bare) ?? []), name]);
  }
  return names;
}
