import type { StepContext } from '../../run/step.ts';
import type { PostgresConfig } from './postgres-config.ts';
import { PUBLIC_ROLE, roleKey, tableKey, tableName } from './postgres-keys.ts';
import { inDatabase, type PostgresRow } from './postgres-session.ts';

const ROLES = `
  SELECT rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls,
         rolconnlimit, rolvaliduntil::text AS valid_until, rolname LIKE 'pg\\_%' AS predefined
  FROM pg_roles ORDER BY rolname`;

const MEMBERSHIPS = `
  SELECT member.rolname AS member, role.rolname AS role, bool_or(m.admin_option) AS admin
  FROM pg_auth_members m
  JOIN pg_roles member ON member.oid = m.member
  JOIN pg_roles role ON role.oid = m.roleid
  GROUP BY 1, 2`;

export async function readRoles(context: StepContext<PostgresConfig>): Promise<void> {
  const { config } = context;
  const [roles, memberships] = await inDatabase(config.database, context, async (query) => [
    await query(ROLES),
    await query(MEMBERSHIPS),
  ]);
  for (const row of roles) emitRole(context, row);
  context.emitEntity({
    ...roleKey(config, PUBLIC_ROLE),
    class: 'Role',
    display_name: 'PUBLIC',
    properties: { name: PUBLIC_ROLE, everyone: true, superuser: false, can_login: false },
  });
  for (const { member, role, admin } of memberships) {
    context.emitRelationship({
      from: roleKey(config, String(member)),
      verb: 'MEMBER_OF',
      to: roleKey(config, String(role)),
      properties: { admin },
    });
  }
}

function emitRole(context: StepContext<PostgresConfig>, row: PostgresRow): void {
  const name = String(row['rolname']);
  context.emitEntity({
    ...roleKey(context.config, name),
    class: 'Role',
    display_name: name,
    properties: {
      name,
      everyone: false,
      superuser: row['rolsuper'],
      inherit: row['rolinherit'],
      create_role: row['rolcreaterole'],
      create_db: row['rolcreatedb'],
      can_login: row['rolcanlogin'],
      replication: row['rolreplication'],
      bypass_rls: row['rolbypassrls'],
      connection_limit: row['rolconnlimit'],
      valid_until: row['valid_until'],
      predefined: row['predefined'],
    },
  });
}

/**
 * The privileges of each role on each table:
 *
 * 1. from the table's ACL, or the owner's default privileges without one;
 * 2. from the ACLs of its columns;
 * 3. from the predefined roles that read or write everything.
 *
 * Inherited privileges follow from MEMBER_OF; superusers are marked.
 */
const GRANTS = `
  WITH tables AS (
    SELECT c.oid, c.relacl, c.relowner, n.oid AS schema_oid, n.nspname AS schema, c.relname AS name
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  ), given AS (
    SELECT t.schema, t.name, t.schema_oid, a.grantee, a.privilege_type, a.is_grantable, NULL::text AS column_name
    FROM tables t, aclexplode(coalesce(t.relacl, acldefault('r', t.relowner))) a
    UNION ALL
    SELECT t.schema, t.name, t.schema_oid, a.grantee, a.privilege_type, a.is_grantable, c.attname::text
    FROM tables t JOIN pg_attribute c ON c.attrelid = t.oid AND NOT c.attisdropped, aclexplode(c.attacl) a
    UNION ALL
    SELECT t.schema, t.name, t.schema_oid, r.oid, p.privilege, false, NULL
    FROM tables t, pg_roles r JOIN (VALUES ('pg_read_all_data', 'SELECT'), ('pg_write_all_data', 'INSERT'),
      ('pg_write_all_data', 'UPDATE'), ('pg_write_all_data', 'DELETE')) p (role, privilege) ON p.role = r.rolname
  ), named AS (
    SELECT g.*, CASE WHEN g.grantee = 0 THEN '${PUBLIC_ROLE}' ELSE pg_get_userbyid(g.grantee) END AS role,
           CASE WHEN g.privilege_type = 'SELECT' THEN 'CAN_READ' ELSE 'CAN_WRITE' END AS verb
    FROM given g WHERE g.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')
  )
  SELECT schema, name, role, verb, bool_or(is_grantable) AS grantable,
         array_agg(DISTINCT privilege_type ORDER BY privilege_type) AS privileges,
         CASE WHEN bool_or(column_name IS NULL) THEN NULL
              ELSE array_agg(DISTINCT column_name ORDER BY column_name) END AS columns,
         bool_or(has_schema_privilege(role, schema_oid, 'USAGE')) AS schema_usage
  FROM named GROUP BY schema, name, role, verb ORDER BY schema, name, role, verb`;

export async function readGrants(context: StepContext<PostgresConfig>): Promise<void> {
  for (const { properties } of context.entities('database')) {
    const database = String(properties['name']);
    const rows = await inDatabase(database, context, (query) => query(GRANTS));
    for (const row of rows) emitGrant(context, database, row);
  }
}

/** A table or role created since the tables were read is synced the next time. */
function emitGrant(context: StepContext<PostgresConfig>, database: string, row: PostgresRow): void {
  const from = roleKey(context.config, String(row['role']));
  const to = tableKey(context.config, database, tableName(String(row['schema']), String(row['name'])));
  if (!context.has(from.type, from.key) || !context.has(to.type, to.key)) return;
  const { privileges, grantable, schema_usage } = row;
  const columns = row['columns'] ?? undefined;
  const properties = { privileges, grantable, schema_usage, columns };
  context.emitRelationship({ from, verb: String(row['verb']), to, properties });
}
