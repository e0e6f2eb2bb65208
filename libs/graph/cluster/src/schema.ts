/** The tables of a store, and the requirements on its database. */
import { randomBytes } from 'node:crypto';
import { DomainError } from '#platform/foundation';
import type { Connection } from './connection.ts';
import { codeOf, reasonOf, unavailable } from './sql-error.ts';

export const FORMAT = 1;
/** Piece size of batches and bases: a row of hundreds of megabytes would exhaust a Node process. */
export const PART_BYTES_MAX = 4 * 1024 * 1024;

const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/;
const UNDEFINED_TABLE = '42P01';
const UNDEFINED_COLUMN = '42703';
const UNDEFINED_SCHEMA = '3F000';
const NO_RIGHT = '42501';
/** SQLSTATEs of concurrent creation of the same object. */
const MADE_MEANWHILE = new Set(['23505', '42710', '42P06', '42P07']);

/** Throws INVALID_REQUEST for an invalid schema name. */
export function requireSchema(name: string): string {
  if (SCHEMA.test(name)) return name;
  throw new DomainError('INVALID_REQUEST', 'store schema: expected a name of a-z, 0-9 and _');
}

/** Returns the name of a new history. */
export function newEpoch(): string {
  return randomBytes(EPOCH_BYTES).toString('hex');
}

/** Quoted: a name may be a reserved word of SQL. */
export function quoted(name: string): string {
  return `"${name}"`;
}

/** Creates missing tables. Throws STORE_TOO_NEW or STORE_UNAVAILABLE. */
export async function prepareSchema(connection: Connection, schema: string): Promise<void> {
  try {
    const found = await formatOf(connection, schema);
    if (found === undefined) {
      await makeTables(connection, schema);
      requireFormat(await formatOf(connection, schema));
    } else {
      requireFormat(found);
      await extendTables(connection, schema);
    }
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw unavailable(`the schema ${schema} cannot be made or read: ${reasonOf(error)}`, error);
  }
}

/** Creates no store. Throws NOT_FOUND, STORE_TOO_NEW or STORE_UNAVAILABLE. */
export async function requireStore(connection: Connection, schema: string): Promise<void> {
  const found = await formatOf(connection, schema);
  if (found === undefined) throw new DomainError('NOT_FOUND', `there is no store in the schema ${schema}`);
  requireFormat(found);
  await extendTables(connection, schema);
}

/** Changes no row. Throws STORE_UNAVAILABLE if the user lacks a right that a node needs. */
export async function requireRights(connection: Connection, schema: string): Promise<void> {
  const name = quoted(schema);
  const rows = ['batch', 'frame', 'base', 'lease', 'branch'].flatMap((table) => [
    `INSERT INTO ${name}.${table} SELECT * FROM ${name}.${table} WHERE false`,
    `DELETE FROM ${name}.${table} WHERE false`,
  ]);
  const places = ['head', 'published'].map((table) => `UPDATE ${name}.${table} SET seq = seq WHERE false`);
  for (const statement of [...rows, ...places]) {
    try {
      await connection.query(statement);
    } catch (error) {
      if (codeOf(error) !== NO_RIGHT) throw error;
      throw unavailable(`no right to write in the schema ${schema}: ${reasonOf(error)}`, error);
    }
  }
}

/** Settings under which the database may lose acknowledged commits. */
export async function requireDurable(connection: Connection): Promise<void> {
  if ((await settingOf(connection, 'synchronous_commit')) !== 'off') return;
  throw unavailable('synchronous_commit is off in this database: what it acknowledges may be lost');
}

/** False if losing the host loses acknowledged commits; undefined if the server does not report it. */
export async function hasSynchronousStandby(connection: Connection): Promise<boolean | undefined> {
  const names = await settingOf(connection, 'synchronous_standby_names');
  return names === undefined ? undefined : names !== '';
}

/** A setting of the server; undefined if it does not report it. */
export async function settingOf(
  connection: Connection,
  name: 'fsync' | 'synchronous_commit' | 'synchronous_standby_names',
): Promise<string | undefined> {
  const [row] = await connection.query(`SHOW ${name}`).catch(() => []);
  const value = row?.[name];
  return typeof value === 'string' ? value : undefined;
}

/** Throws STORE_TOO_NEW for another format than this version's. */
export function requireFormat(found: number | undefined): void {
  if (found === FORMAT) return;
  throw new DomainError(
    'STORE_TOO_NEW',
    `the store has format ${String(found)}, expected ${String(FORMAT)}`,
    {
      details: { found: found ?? null, known: FORMAT },
    },
  );
}

async function formatOf(connection: Connection, schema: string): Promise<number | undefined> {
  try {
    const [row] = await connection.query(`SELECT format FROM ${quoted(schema)}.head`);
    return row === undefined ? undefined : Number(row['format']);
  } catch (error) {
    const code = codeOf(error);
    if (code === UNDEFINED_TABLE || code === UNDEFINED_SCHEMA) return undefined;
    throw error;
  }
}

/**
 * Adds what stores made before there were branches lack (ADR 0245); nodes of that version do not notice it.
 * Throws STORE_UNAVAILABLE without the right to.
 */
async function extendTables(connection: Connection, schema: string): Promise<void> {
  const name = quoted(schema);
  const statements = [
    branchTable(name),
    `ALTER TABLE ${name}.head ADD COLUMN IF NOT EXISTS branch text NOT NULL DEFAULT '',
       ADD COLUMN IF NOT EXISTS place text NOT NULL DEFAULT ''`,
  ];
  try {
    await connection.query(`SELECT branch, place FROM ${name}.head`);
  } catch (error) {
    if (codeOf(error) !== UNDEFINED_COLUMN) throw error;
    for (const statement of statements) {
      const refusal = await refusalOf(connection, statement);
      if (refusal === undefined) continue;
      throw unavailable(
        `the schema ${schema} is of an earlier version and cannot be extended: ${reasonOf(refusal)}`,
        refusal,
      );
    }
  }
}

export function leaseTable(name: string): string {
  return `CREATE TABLE IF NOT EXISTS ${name}.lease (name text PRIMARY KEY, node text NOT NULL,
    until timestamptz NOT NULL)`;
}

function branchTable(name: string): string {
  return `CREATE TABLE IF NOT EXISTS ${name}.branch (id text PRIMARY KEY, seq int8 NOT NULL)`;
}

/** Creates `head` last: if its row exists, so do all other tables. Several nodes may try at once. */
async function makeTables(connection: Connection, schema: string): Promise<void> {
  const name = quoted(schema);
  const epoch = newEpoch();
  const schemaRefusal = await refusalOf(connection, `CREATE SCHEMA IF NOT EXISTS ${name}`);
  if (schemaRefusal !== undefined && codeOf(schemaRefusal) !== NO_RIGHT) throw schemaRefusal;
  const statements = [
    `CREATE TABLE IF NOT EXISTS ${name}.batch (seq int8 PRIMARY KEY, id uuid NOT NULL, at int8 NOT NULL,
       parts int4 NOT NULL, crc int8 NOT NULL, bytes int8 NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS ${name}.frame (seq int8, part int4, body bytea NOT NULL,
       PRIMARY KEY (seq, part))`,
    `CREATE TABLE IF NOT EXISTS ${name}.base (seq int8, part int4, body bytea NOT NULL,
       PRIMARY KEY (seq, part))`,
    leaseTable(name),
    branchTable(name),
    `CREATE TABLE IF NOT EXISTS ${name}.published (one int4 PRIMARY KEY CHECK (one = 1), seq int8 NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS ${name}.head (one int4 PRIMARY KEY CHECK (one = 1), seq int8 NOT NULL,
       epoch text NOT NULL, branch text NOT NULL, place text NOT NULL, format int4 NOT NULL)`,
    `INSERT INTO ${name}.published (one, seq) VALUES (1, 0) ON CONFLICT (one) DO NOTHING`,
    `INSERT INTO ${name}.head (one, seq, epoch, branch, place, format)
       VALUES (1, 0, '${epoch}', '', '', ${String(FORMAT)})
       ON CONFLICT (one) DO NOTHING`,
  ];
  for (const statement of statements) {
    const refusal = await refusalOf(connection, statement);
    if (refusal === undefined) continue;
    // A user without the right to create schemas may own an existing one.
    throw codeOf(refusal) === UNDEFINED_SCHEMA ? (schemaRefusal ?? refusal) : refusal;
  }
}

/** Returns undefined on success, or if another node has created the object. */
async function refusalOf(connection: Connection, statement: string): Promise<Error | undefined> {
  try {
    await connection.query(statement);
    return undefined;
  } catch (error) {
    if (MADE_MEANWHILE.has(codeOf(error) ?? '')) return undefined;
    return error instanceof Error ? error : new Error(String(error));
  }
}

const EPOCH_BYTES = 8;
