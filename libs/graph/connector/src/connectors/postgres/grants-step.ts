import type { RelationshipDraft, StepContext } from '../../run/step.ts';
import {
  type AccessRight,
  type CheckedView,
  DatabaseAccess,
  includes,
  type Verb,
  VERBS,
  type ViewNeed,
} from './database-access.ts';
import { inEachDatabase, readDatabases } from './each-database.ts';
import type { PostgresConfig } from './postgres-config.ts';
import { PUBLIC_ROLE, roleKey, tableKey } from './postgres-keys.ts';
import { IS_OURS, nameOf, type PostgresQuery, type PostgresRow } from './postgres-session.ts';
import { ASSUMABLE } from './roles-step.ts';

/** PUBLIC has the number 0 in access lists and in the functions of the server. */
const ROLES = `
  SELECT r.oid, r.name, has_database_privilege(r.oid, d.oid, 'CONNECT') AS connects
  FROM pg_database d, (SELECT oid, rolname::text AS name FROM pg_roles UNION ALL SELECT 0, '${PUBLIC_ROLE}') r
  WHERE d.datname = current_database() ORDER BY r.name`;

const TABLES = `
  SELECT c.oid, n.oid AS schema_oid, n.nspname AS schema, c.relname AS name, c.relacl, c.relowner,
         EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attacl IS NOT NULL) AS column_grants
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND ${IS_OURS}`;

/** What roles hold: inherited privileges, those of PUBLIC, of superusers and of predefined roles included. */
const HELD = `
  WITH tables AS (${TABLES})
  SELECT r AS role, t.oid AS table, has_schema_privilege(r, t.schema_oid, 'USAGE') AS uses_schema,
         ARRAY(SELECT p FROM unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE}'::text[]) p
           WHERE has_table_privilege(r, t.oid, p)) AS whole,
         CASE WHEN t.column_grants THEN ARRAY(
           SELECT p || ' ' || a.attname FROM unnest('{SELECT,INSERT,UPDATE}'::text[]) p
           JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
           WHERE NOT has_table_privilege(r, t.oid, p) AND has_column_privilege(r, t.oid, a.attnum, p)
           ORDER BY 1) END AS columns,
         has_any_column_privilege(r, t.oid, 'SELECT WITH GRANT OPTION') AS read_grantable,
         has_any_column_privilege(r, t.oid, 'INSERT WITH GRANT OPTION, UPDATE WITH GRANT OPTION')
           OR has_table_privilege(r, t.oid, 'DELETE WITH GRANT OPTION, TRUNCATE WITH GRANT OPTION')
           AS write_grantable
  FROM unnest($1::oid[]) r, tables t
  WHERE has_table_privilege(r, t.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')
    OR t.column_grants AND has_any_column_privilege(r, t.oid, 'SELECT, INSERT, UPDATE')`;
/** Bounds the duration of one query. */
const ROLES_PER_QUERY = 100;

/** The roles that an access list names, or that own the table where it has none. */
const NAMED = `
  WITH tables AS (${TABLES}), given AS (
    SELECT t.oid, a.grantee, a.privilege_type
    FROM tables t, aclexplode(coalesce(t.relacl, acldefault('r', t.relowner))) a
    UNION ALL
    SELECT t.oid, a.grantee, a.privilege_type
    FROM tables t JOIN pg_attribute c ON c.attrelid = t.oid AND NOT c.attisdropped, aclexplode(c.attacl) a
  )
  SELECT DISTINCT oid AS table, grantee AS role,
         CASE WHEN privilege_type = 'SELECT' THEN 'CAN_READ' ELSE 'CAN_WRITE' END AS verb
  FROM given WHERE privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')`;

/** What each view needs when it is read, by the columns that it names. */
const VIEW_NEEDS = `
  WITH tables AS (${TABLES})
  SELECT v.oid AS view, v.relowner AS owner,
         coalesce((SELECT bool_or(o.option_value::bool) FROM pg_options_to_table(v.reloptions) o
           WHERE o.option_name = 'security_invoker'), false) AS invoker,
         v.relhastriggers OR EXISTS (SELECT FROM pg_rewrite o WHERE o.ev_class = v.oid AND o.ev_type <> '1')
           AS own_writes,
         d.refobjid AS base, array_agg(DISTINCT a.attname::text) FILTER (WHERE a.attname IS NOT NULL) AS columns
  FROM pg_class v JOIN tables t ON t.oid = v.oid
  JOIN pg_rewrite r ON r.ev_class = v.oid AND r.ev_type = '1'
  JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
    AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> v.oid
  JOIN tables base ON base.oid = d.refobjid
  LEFT JOIN pg_attribute a ON a.attrelid = base.oid AND a.attnum = d.refobjsubid AND a.attnum > 0
  WHERE v.relkind = 'v' GROUP BY 1, 2, 3, 4, 5`;

interface FoundRole {
  readonly oid: number;
  readonly name: string;
  readonly connects: boolean;
  /** Roles that it can become by SET ROLE. */
  readonly others: readonly { readonly oid: number; readonly name: string }[];
}

/** What one database answered. */
interface FoundAccess {
  readonly roles: readonly FoundRole[];
  /** Keys of the tables, by number. */
  readonly tables: ReadonlyMap<number, string>;
  readonly access: DatabaseAccess;
  /** Role, table and verb of the access lists. */
  readonly named: ReadonlySet<string>;
}

/** CAN_READ and CAN_WRITE of a session of each role; with `_AS`, what it can do only after SET ROLE. */
export async function readGrants(context: StepContext<PostgresConfig>): Promise<void> {
  await inEachDatabase(context, readDatabases(context), {
    read: readAccess,
    emit: (found, database) => context.emitAll({ relationships: relationshipsOf(context, database, found) }),
  });
}

async function readAccess(query: PostgresQuery): Promise<FoundAccess> {
  const roles = rolesOf(await query(ROLES), await query(ASSUMABLE));
  const tables = new Map<number, string>();
  for (const row of await query(TABLES)) tables.set(Number(row['oid']), nameOf(row));
  const named = new Set<string>();
  for (const { role, table, verb } of await query(NAMED)) named.add([role, table, verb].join(' '));
  const access = new DatabaseAccess(viewsOf(await query(VIEW_NEEDS)));
  for (let start = 0; start < roles.length; start += ROLES_PER_QUERY) {
    const oids = roles.slice(start, start + ROLES_PER_QUERY).map(({ oid }) => oid);
    for (const row of await query(HELD, [oids])) addHeld(access, row);
  }
  return { roles, tables, access, named };
}

function rolesOf(rows: readonly PostgresRow[], assumable: readonly PostgresRow[]): readonly FoundRole[] {
  const others = Map.groupBy(assumable, (row) => Number(row['role_oid']));
  return rows.map(({ oid, name, connects }) => ({
    oid: Number(oid),
    name: String(name),
    connects: connects === true,
    others: (others.get(Number(oid)) ?? []).map((row) => ({
      oid: Number(row['other_oid']),
      name: String(row['other']),
    })),
  }));
}

function viewsOf(rows: readonly PostgresRow[]): ReadonlyMap<number, CheckedView> {
  const views = new Map<number, CheckedView & { readonly needs: ViewNeed[] }>();
  for (const { view, owner, invoker, own_writes, base, columns } of rows) {
    const known = views.get(Number(view)) ?? {
      owner: Number(owner),
      isInvoker: invoker === true,
      hasOwnWrites: own_writes === true,
      needs: [],
    };
    known.needs.push({ base: Number(base), columns: textsIn(columns) });
    views.set(Number(view), known);
  }
  return views;
}

function addHeld(access: DatabaseAccess, row: PostgresRow): void {
  const columns = new Map<string, string[]>();
  for (const text of textsIn(row['columns'])) {
    const at = text.indexOf(' ');
    const privilege = text.slice(0, at);
    columns.set(privilege, [...(columns.get(privilege) ?? []), text.slice(at + 1)]);
  }
  access.add(Number(row['role']), Number(row['table']), {
    usesSchema: row['uses_schema'] === true,
    whole: textsIn(row['whole']),
    columns,
    readGrantable: row['read_grantable'] === true,
    writeGrantable: row['write_grantable'] === true,
  });
}

function* relationshipsOf(
  context: StepContext<PostgresConfig>,
  database: string,
  found: FoundAccess,
): Iterable<RelationshipDraft> {
  const { config } = context;
  for (const role of found.roles) {
    const from = roleKey(config, role.name);
    // A role or table created since they were read is synced the next time.
    if (!role.connects || !context.has(from.type, from.key)) continue;
    for (const verb of VERBS) {
      for (const { table, properties, isAssumed } of [
        ...ownRights(found, role, verb),
        ...assumedRights(found, role, verb),
      ]) {
        const to = tableKey(config, database, found.tables.get(table) ?? '');
        if (!context.has(to.type, to.key)) continue;
        yield { from, verb: isAssumed ? `${verb}_AS` : verb, to, properties };
      }
    }
  }
}

interface FoundRight {
  readonly table: number;
  readonly isAssumed: boolean;
  readonly properties: Readonly<Record<string, unknown>>;
}

function* ownRights({ access, named }: FoundAccess, { oid }: FoundRole, verb: Verb): Iterable<FoundRight> {
  for (const [table, right] of access.rightsOf(oid, verb)) {
    const direct = named.has(`${oid} ${table} ${verb}`);
    yield { table, isAssumed: false, properties: { ...propertiesOf(right), direct } };
  }
}

/** What the role can do only as another one. */
function* assumedRights({ access }: FoundAccess, role: FoundRole, verb: Verb): Iterable<FoundRight> {
  const byTable = new Map<number, { readonly names: string[]; readonly rights: AccessRight[] }>();
  for (const other of role.others) {
    for (const [table, right] of access.rightsOf(other.oid, verb)) {
      if (includes(access.right(role.oid, table, verb), right)) continue;
      const known = byTable.get(table) ?? { names: [], rights: [] };
      known.names.push(other.name);
      known.rights.push(right);
      byTable.set(table, known);
    }
  }
  for (const [table, { names, rights }] of byTable) {
    yield { table, isAssumed: true, properties: { ...propertiesOf(union(rights)), as: names } };
  }
}

function union(rights: readonly AccessRight[]): AccessRight {
  const isWhole = rights.some(({ columns }) => columns === undefined);
  return {
    privileges: new Set(rights.flatMap(({ privileges }) => [...privileges])),
    columns: isWhole ? undefined : new Set(rights.flatMap(({ columns = [] }) => [...columns])),
    grantable: rights.some(({ grantable }) => grantable),
  };
}

function propertiesOf({ privileges, columns, grantable }: AccessRight): Readonly<Record<string, unknown>> {
  return { privileges: [...privileges].sort(), columns: columns && [...columns].sort(), grantable };
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
