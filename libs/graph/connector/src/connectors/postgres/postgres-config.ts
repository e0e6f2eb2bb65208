import {
  type ConfigOf,
  integerField,
  listField,
  optionalTextField,
  secretField,
  textField,
  wordField,
} from '../../config/config-field.ts';

export const POSTGRES_CONFIG = {
  host: textField({ about: 'host name or address', fallback: 'localhost' }),
  port: integerField({ about: 'port', fallback: 5432 }, 1, 65_535),
  user: textField({ about: 'role of the connector; needs only CONNECT' }),
  password_env: secretField('environment variable with the password'),
  database: textField({ about: 'initial database', fallback: 'postgres' }),
  databases: listField({ about: 'names or globs of databases to read', fallback: ['*'] }),
  exclude: listField({ about: 'names or globs of databases to leave out', fallback: [] }),
  ssl: wordField({ about: 'off, require (any certificate) or verify', fallback: 'off' }, [
    'off',
    'require',
    'verify',
  ]),
  instance: optionalTextField('name of the server in keys; default host:port'),
  pii: listField({ about: 'globs of schema.table with personal data', fallback: [] }),
  query_timeout_ms: integerField({ about: 'maximum duration of a query', fallback: 60_000 }, 1, 3_600_000),
};

export type PostgresConfig = ConfigOf<typeof POSTGRES_CONFIG>;
