import type { StepContext } from '../../step/step.ts';
import type { PostgresConfig } from './postgres-config.ts';
import { PUBLIC_ROLE, roleKey } from './postgres-keys.ts';
import { inDatabase, type Row } from './postgres-session.ts';

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

function emitRole(context: StepContext<PostgresConfig>, row: Row): void {
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
