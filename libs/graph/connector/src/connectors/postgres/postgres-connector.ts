import { defineConnector } from '../../config/connector-type.ts';
import type { Step } from '../../step/step.ts';
import { readDatabases } from './databases-step.ts';
import { readGrants } from './grants-step.ts';
import { POSTGRES_CONFIG, type PostgresConfig } from './postgres-config.ts';
import { readRoles } from './roles-step.ts';
import { readTables } from './tables-step.ts';

const STEPS: readonly Step<PostgresConfig>[] = [
  {
    id: 'roles',
    description: 'roles and their memberships',
    emits: { entities: ['db_role'], relationships: ['MEMBER_OF'] },
    run: readRoles,
  },
  {
    id: 'databases',
    dependsOn: ['roles'],
    emits: { entities: ['database'], relationships: ['OWNS'] },
    run: readDatabases,
  },
  {
    id: 'tables',
    description: 'schemas, tables and views',
    dependsOn: ['databases'],
    emits: { entities: ['schema', 'table'], relationships: ['CONTAINS', 'OWNS', 'DEPENDS_ON'] },
    run: readTables,
  },
  {
    id: 'grants',
    description: 'which role can read or write which table',
    dependsOn: ['tables'],
    emits: { relationships: ['CAN_READ', 'CAN_WRITE'] },
    run: readGrants,
  },
];

/**
 * A PostgreSQL server: `db_role` MEMBER_OF `db_role`, OWNS, `database` CONTAINS `schema` CONTAINS `table`,
 * and `db_role` CAN_READ and CAN_WRITE `table` as the grants say, those of columns and predefined roles too.
 * A view is a `table` that DEPENDS_ON what it reads, and contains personal data when any of that does.
 */
export const postgresConnector = defineConnector({
  name: 'postgres',
  about: 'roles, databases, tables and grants of a PostgreSQL server',
  config: POSTGRES_CONFIG,
  steps: () => STEPS,
});
