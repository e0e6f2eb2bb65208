import type { StepContext } from '../../step/step.ts';
import { globMatcher } from '../glob.ts';
import type { PostgresConfig } from './postgres-config.ts';
import { databaseKey, roleKey } from './postgres-keys.ts';
import { inDatabase } from './postgres-session.ts';

const DATABASES = `
  SELECT datname, pg_get_userbyid(datdba) AS owner, pg_encoding_to_char(encoding) AS encoding, datcollate,
         current_setting('server_version') AS version
  FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY datname`;

export async function readDatabases(context: StepContext<PostgresConfig>): Promise<void> {
  const { config } = context;
  const isWanted = globMatcher(config.databases);
  const rows = await inDatabase(config.database, context, (query) => query(DATABASES));
  for (const row of rows) {
    const name = String(row['datname']);
    if (!isWanted(name)) continue;
    const key = databaseKey(config, name);
    const { encoding, datcollate: collation, version } = row;
    context.emitEntity({
      ...key,
      class: 'Database',
      display_name: name,
      properties: { name, encoding, collation, server_version: version },
    });
    context.emitRelationship({ from: roleKey(config, String(row['owner'])), verb: 'OWNS', to: key });
  }
}
