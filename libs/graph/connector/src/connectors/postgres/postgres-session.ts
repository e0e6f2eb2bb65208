import { Socket } from 'node:net';
import pg from 'pg';
import type { StepContext } from '../../run/step.ts';
import type { PostgresConfig } from './postgres-config.ts';

const CONNECT_TIMEOUT_MS = 15_000;

export type PostgresRow = Readonly<Record<string, unknown>>;

/** Runs one read-only transaction on a database; disconnects when the step is stopped. */
export async function inDatabase<T>(
  database: string,
  context: StepContext<PostgresConfig>,
  work: (query: (text: string) => Promise<readonly PostgresRow[]>) => Promise<T>,
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
  try {
    await client.connect();
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const result = await work(async (text) => {
      if (broken !== undefined) throw broken;
      return (await client.query<PostgresRow>(text)).rows;
    });
    await client.query('COMMIT');
    return result;
  } finally {
    signal.removeEventListener('abort', hangUp);
    await client.end();
  }
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
    application_name: 'plexus',
  };
}
