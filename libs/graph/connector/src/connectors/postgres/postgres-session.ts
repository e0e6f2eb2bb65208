import { Socket } from 'node:net';
import pg from 'pg';
import { DomainError } from '#platform/foundation';
import type { StepContext } from '../../run/step.ts';
import { answerFault } from '../answer-limit.ts';
import type { PostgresConfig } from './postgres-config.ts';
import { tableName } from './postgres-keys.ts';

const CONNECT_TIMEOUT_MS = 15_000;
/** How much later than the server's own limit a query ends that the server does not answer. */
const ANSWER_GRACE_MS = 1_000;
/** Time for the server to close the connection. */
const GOODBYE_MS = 1_000;
const WATCH_MS = 100;

export type PostgresRow = Readonly<Record<string, unknown>>;
export type PostgresQuery = (text: string, values?: readonly unknown[]) => Promise<readonly PostgresRow[]>;

/** Condition of a WHERE clause that excludes schemas of the system and of temporary tables. */
export const IS_OURS = `n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`;

/** The name of the row's table or function with its schema. */
export function nameOf({ schema, name }: PostgresRow): string {
  return tableName(String(schema), String(name));
}

/** Runs one read-only transaction on a database; disconnects when the step is stopped. */
export async function inDatabase<T>(
  database: string,
  context: StepContext<PostgresConfig>,
  work: (query: PostgresQuery) => Promise<T>,
): Promise<T> {
  const { config, signal } = context;
  signal.throwIfAborted();
  const socket = new Socket();
  const client = new pg.Client({ ...optionsOf(database, config), stream: () => socket });
  let broken: Error | undefined;
  // Handles a connection that the server ends between two queries.
  client.on('error', (error: Error) => {
    broken = error;
  });
  // A silent server would not process a Terminate message.
  const hangUp = (): void => {
    socket.destroy();
  };
  signal.addEventListener('abort', hangUp);
  const watch = setInterval(() => {
    // All answers of the connection count as one.
    const fault = answerFault(socket.bytesRead);
    if (fault !== undefined) socket.destroy(fault);
  }, WATCH_MS);
  try {
    await client.connect();
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const result = await work(async (text, values = []) => {
      if (broken !== undefined) throw broken;
      const { rows } = await client.query<PostgresRow>(text, [...values]);
      if (hasReplacement(rows)) await requireEncoding(client, database);
      return rows;
    });
    await client.query('COMMIT');
    return result;
  } finally {
    clearInterval(watch);
    const goodbye = setTimeout(hangUp, GOODBYE_MS);
    await client.end();
    clearTimeout(goodbye);
    signal.removeEventListener('abort', hangUp);
  }
}

/** The driver replaces bytes that are not UTF-8, which would make one name of two. */
function hasReplacement(rows: readonly PostgresRow[]): boolean {
  const isReplaced = (value: unknown): boolean =>
    Array.isArray(value) ? value.some(isReplaced) : typeof value === 'string' && value.includes('\uFFFD');
  return rows.some((row) => Object.values(row).some(isReplaced));
}

/** The server converts all encodings but this one, in which any bytes are valid. */
async function requireEncoding(client: pg.Client, database: string): Promise<void> {
  const { rows } = await client.query<{ readonly encoding: string }>(
    "SELECT current_setting('server_encoding') AS encoding",
  );
  if (rows[0]?.encoding !== 'SQL_ASCII') return;
  throw new DomainError(
    'INVALID_REQUEST',
    `database ${database} has the encoding SQL_ASCII: expected UTF-8, got names in another encoding`,
  );
}

function optionsOf(database: string, config: PostgresConfig): pg.ClientConfig {
  return {
    host: config.host,
    port: config.port,
    user: config.user,
    // An empty text prevents the driver from reading the environment and the home directory.
    password: config.password_env?.reveal() ?? '',
    database,
    ssl: config.ssl === 'off' ? false : { rejectUnauthorized: config.ssl === 'verify' },
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: config.query_timeout_ms,
    query_timeout: config.query_timeout_ms + ANSWER_GRACE_MS,
    application_name: 'plexus',
  };
}
