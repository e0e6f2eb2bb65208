import type { StepContext } from '../../run/step.ts';
import type { PostgresConfig } from './postgres-config.ts';
import { PUBLIC_ROLE, roleKey } from './postgres-keys.ts';
import { inDatabase, type PostgresRow } from './postgres-session.ts';

const ROLES = `
  SELECT rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls,
         rolconnlimit, rolvaliduntil::text AS valid_until, rolname LIKE 'pg\\_%' AS predefined
  FROM pg_roles ORDER BY rolname`;

/** Several grantors may have made one membership. Before PostgreSQL 16, INHERIT is the member's attribute. */
const MEMBERSHIPS = `
  SELECT member.rolname AS member, role.rolname AS role, bool_or(m.admin_option) AS admin,
         bool_or(coalesce((to_jsonb(m) ->> 'inherit_option')::bool, member.rolinherit)) AS inherit,
         bool_or(coalesce((to_jsonb(m) ->> 'set_option')::bool, true)) AS set
  FROM pg_auth_members m
  JOIN pg_roles member ON member.oid = m.member
  JOIN pg_roles role ON role.oid = m.roleid
  GROUP BY 1, 2 ORDER BY 1, 2`;

/** Pairs of roles of which the first can become the second by SET ROLE; a superuser can become every role. */
export const ASSUMABLE = `
  SELECT r.oid AS role_oid, r.rolname AS role, other.oid AS other_oid, other.rolname AS other
  FROM pg_roles r JOIN pg_roles other ON other.oid <> r.oid
  WHERE NOT r.rolsuper AND pg_has_role(r.oid, other.oid,
    CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END)
  ORDER BY 2, 4`;

export async function readRoles(context: StepContext<PostgresConfig>): Promise<void> {
  const { config } = context;
  const [roles, memberships, assumable] = await inDatabase(config.database, context, async (query) => [
    await query(ROLES),
    await query(MEMBERSHIPS),
    await query(ASSUMABLE),
  ]);
  for (const row of roles) emitRole(context, row);
  context.emitEntity({
    ...roleKey(config, PUBLIC_ROLE),
    class: 'Role',
    display_name: 'PUBLIC',
    properties: { name: PUBLIC_ROLE, everyone: true, superuser: false, can_login: false },
  });
  for (const { member, role, admin, inherit, set } of memberships) {
    context.emitRelationship({
      from: roleKey(config, String(member)),
      verb: 'MEMBER_OF',
      to: roleKey(config, String(role)),
      properties: { admin, inherit, set },
    });
  }
  for (const { role, other } of assumable) {
    const to = roleKey(config, String(other));
    context.emitRelationship({ from: roleKey(config, String(role)), verb: 'CAN_SET_ROLE', to });
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
