/** Facts about a database, and COMMITs that wait in a schema that was created to test it. */
import { DomainError, pause } from '#platform/foundation';
import { Connection } from './connection.ts';
import { hasSynchronousStandby, quoted, requireSchema, settingOf } from './schema.ts';
import { reasonOf, unavailable } from './sql-error.ts';
import type { StoreAddress } from './store-address.ts';

const NAME = 'plexus store check';
const CHANNEL = 'plexus_check';
/** A later notification is useless. */
const TOLD_MS = 1_000;
/** Below the idle time-out of an open transaction. */
const ALIVE_MS = 1_000;

export interface DatabaseFacts {
  /** The version that the server reports. */
  readonly version: string;
  /** `host:port` that accepts writes. */
  readonly host: string;
  /** These are undefined if the server does not report them. */
  readonly fsync: string | undefined;
  readonly synchronousCommit: string | undefined;
  readonly hasSynchronousStandby: boolean | undefined;
  /** Whether NOTIFY on one connection reaches LISTEN on another. */
  readonly isTold: boolean;
  /** How far its clock is ahead of this machine's, within one round trip. */
  readonly clockAheadMs: number;
}

/** Throws STORE_UNAVAILABLE. */
export function factsOf(address: StoreAddress): Promise<DatabaseFacts> {
  return withConnection(address, async (connection) => {
    const [row] = await connection.query('SELECT version() AS version');
    return {
      version: String(row?.['version']),
      host: connection.host,
      fsync: await settingOf(connection, 'fsync'),
      synchronousCommit: await settingOf(connection, 'synchronous_commit'),
      hasSynchronousStandby: await hasSynchronousStandby(connection),
      isTold: await isTold(connection, address),
      clockAheadMs: await clockAheadMs(connection),
    };
  });
}

/** How far the database's clock is ahead of this machine's, within one round trip. */
export async function clockAheadMs(connection: Connection): Promise<number> {
  const startMs = Date.now();
  const [time] = await connection.query('SELECT extract(epoch FROM clock_timestamp()) AS seconds');
  const halfwayMs = (startMs + Date.now()) / 2;
  return Math.round(Number(time?.['seconds']) * 1_000 - halfwayMs);
}

/** COMMITs that wait; see {@link holdCommits}. */
export interface HeldCommits {
  /** Lets them end, and those that come. */
  release(): Promise<void>;
}

/**
 * Lets the COMMIT of each batch wait in a schema that was created to test its database: a deferred foreign
 * key refers to a row that is locked. Throws STORE_UNAVAILABLE.
 */
export async function holdCommits(address: StoreAddress, schema: string): Promise<HeldCommits> {
  const name = quoted(requireSchema(schema));
  const connection = await Connection.open(address, NAME).catch((error: unknown) => {
    throw unavailable(reasonOf(error), error);
  });
  const all = async (...statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await connection.wait(statement);
  };
  try {
    await all(
      `CREATE TABLE IF NOT EXISTS ${name}.gate (id int4 PRIMARY KEY)`,
      `INSERT INTO ${name}.gate (id) VALUES (1) ON CONFLICT (id) DO NOTHING`,
      // Only once: it waits for all that read the table.
      `DO $$ BEGIN
         IF NOT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = '${name}.batch'::regclass AND attname = 'gate')
         THEN
           ALTER TABLE ${name}.batch ADD COLUMN gate int4 DEFAULT 1 REFERENCES ${name}.gate
             DEFERRABLE INITIALLY DEFERRED;
         END IF;
       END $$`,
      'BEGIN',
      `SELECT 1 FROM ${name}.gate FOR UPDATE`,
    );
  } catch (error) {
    await connection.close();
    throw unavailable(reasonOf(error), error);
  }
  const alive = setInterval(() => void connection.query('SELECT 1').catch(() => undefined), ALIVE_MS);
  return {
    release: async () => {
      clearInterval(alive);
      try {
        await connection.wait('COMMIT');
      } finally {
        await connection.close();
      }
    },
  };
}

async function isTold(connection: Connection, address: StoreAddress): Promise<boolean> {
  const heard = new AbortController();
  const listening = await Connection.open(address, NAME);
  try {
    listening.onNotification(() => {
      heard.abort();
    });
    await listening.query(`LISTEN ${CHANNEL}`);
    await connection.query('SELECT pg_notify($1, $2)', [CHANNEL, '1']);
    await pause(TOLD_MS, heard.signal);
    return heard.signal.aborted;
  } catch {
    return false;
  } finally {
    await listening.close();
  }
}

/** Throws STORE_UNAVAILABLE. */
export async function withConnection<T>(
  address: StoreAddress,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.open(address, NAME);
    return await work(connection);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw unavailable(reasonOf(error), error);
  } finally {
    await connection?.close();
  }
}
