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
  user: textField({ about: 'role that the connector logs in as; it needs no more than CONNECT' }),
  password_env: secretField('environment variable with the password'),
  database: textField({ about: 'database to connect to first', fallback: 'postgres' }),
  databases: listField({ about: 'names or globs of databases to read', fallback: ['*'] }),
  ssl: wordField({ about: 'off, require (any certificate) or verify', fallback: 'off' }, [
    'off',
    'require',
    'verify',
  ]),
  instance: optionalTextField('name of the server in keys; default host:port'),
  pii: listField({ about: 'globs of schema.table with personal data', fallback: [] }),
  query_timeout_ms: integerField({ about: 'longest run of one query', fallback: 60_000 }, 1, 3_600_000),
};

export type PostgresConfig = ConfigOf<typeof POSTGRES_CONFIG>;
