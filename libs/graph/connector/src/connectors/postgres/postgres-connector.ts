import { defineConnector } from '../../config/connector-type.ts';
import type { Step, StepContext } from '../../run/step.ts';
import { readFunctions } from './functions-step.ts';
import { globMatcher } from './glob-matcher.ts';
import { readGrants } from './grants-step.ts';
import { POSTGRES_CONFIG, type PostgresConfig } from './postgres-config.ts';
import { databaseKey } from './postgres-keys.ts';
import { inDatabase } from './postgres-session.ts';
import { readRoles } from './roles-step.ts';
import { emitOwner, readTables } from './tables-step.ts';

/** Also those that accept no connections: a later step finds that it cannot read them. */
const DATABASES = `
  SELECT datname, pg_get_userbyid(datdba) AS owner, pg_encoding_to_char(encoding) AS encoding, datcollate,
         current_setting('server_version') AS version
  FROM pg_database WHERE NOT datistemplate ORDER BY datname`;

const STEPS: readonly Step<PostgresConfig>[] = [
  {
    id: 'roles',
    description: 'roles and their memberships',
    emits: { entities: ['db_role'], relationships: ['MEMBER_OF', 'CAN_SET_ROLE'] },
    run: readRoles,
  },
  {
    id: 'databases',
    dependsOn: ['roles'],
    emits: { entities: ['database'], relationships: ['OWNS'] },
    isNeverEmpty: true,
    run: readDatabases,
  },
  {
    id: 'tables',
    description: 'schemas, tables and views',
    dependsOn: ['databases'],
    emits: { entities: ['schema', 'table'], relationships: ['CONTAINS', 'OWNS', 'DEPENDS_ON', 'REFERENCES'] },
    run: readTables,
  },
  {
    id: 'grants',
    description: 'which role can read or write which table',
    dependsOn: ['tables'],
    emits: { relationships: ['CAN_READ', 'CAN_WRITE', 'CAN_READ_AS', 'CAN_WRITE_AS'] },
    run: readGrants,
  },
  {
    id: 'functions',
    description: 'functions with the rights of their owner, and who can call them',
    dependsOn: ['tables'],
    emits: {
      entities: ['db_function'],
      relationships: ['CONTAINS', 'OWNS', 'DEPENDS_ON', 'CAN_EXECUTE'],
    },
    run: readFunctions,
  },
];

const RIGHT = 'columns direct grantable privileges';
const VOCABULARY = {
  entities: {
    db_role:
      'bypass_rls can_login connection_limit create_db create_role everyone inherit name predefined replication ' +
      'superuser valid_until',
    database: 'collation encoding name server_version',
    schema: 'comment database name',
    table: 'columns comment contains_pii database kind name pii_columns row_security schema security_invoker',
    db_function: 'comment contains_pii database language name schema security_definer tables_from',
  },
  relationships: {
    'db_role MEMBER_OF db_role': 'admin inherit set',
    'db_role CAN_SET_ROLE db_role': '',
    'db_role OWNS database': '',
    'db_role OWNS schema': '',
    'db_role OWNS table': '',
    'db_role OWNS db_function': '',
    'database CONTAINS schema': '',
    'schema CONTAINS table': '',
    'schema CONTAINS db_function': '',
    'table DEPENDS_ON table': 'by',
    'table REFERENCES table': 'columns referenced_columns',
    'db_function DEPENDS_ON table': 'by',
    'db_role CAN_READ table': RIGHT,
    'db_role CAN_WRITE table': RIGHT,
    'db_role CAN_READ_AS table': `as ${RIGHT}`,
    'db_role CAN_WRITE_AS table': `as ${RIGHT}`,
    'db_role CAN_EXECUTE db_function': '',
  },
};

/**
 * A PostgreSQL server: `db_role` MEMBER_OF `db_role`, OWNS, `database` CONTAINS `schema` CONTAINS `table`,
 * and `db_role` CAN_READ and CAN_WRITE `table` as a session of the role, CAN_READ_AS and CAN_WRITE_AS after
 * SET ROLE. A view is a `table` that DEPENDS_ON the tables it reads, and contains personal data if one of
 * them does. A `db_function` with the rights of its owner DEPENDS_ON its tables for those who CAN_EXECUTE it.
 */
export const postgresConnector = defineConnector({
  name: 'postgres',
  about: 'roles, databases, tables and grants of a PostgreSQL server',
  config: POSTGRES_CONFIG,
  vocabulary: VOCABULARY,
  steps: () => STEPS,
});

async function readDatabases(context: StepContext<PostgresConfig>): Promise<void> {
  const { config } = context;
  const isWanted = globMatcher(config.databases);
  const isExcluded = globMatcher(config.exclude);
  const rows = await inDatabase(config.database, context, (query) => query(DATABASES));
  for (const row of rows) {
    const name = String(row['datname']);
    if (!isWanted(name) || isExcluded(name)) continue;
    const key = databaseKey(config, name);
    const { encoding, datcollate: collation, version } = row;
    context.emitEntity({
      ...key,
      class: 'Database',
      display_name: name,
      properties: { name, encoding, collation, server_version: version },
    });
    emitOwner(context, row, key);
  }
}
