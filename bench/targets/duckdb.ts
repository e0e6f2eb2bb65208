import { join } from 'node:path';
import {
  DuckDBInstance,
  type DuckDBAppender,
  type DuckDBConnection,
  type DuckDBPreparedStatement,
} from '@duckdb/node-api';
import { DEPTHS } from '../data/questions.ts';
import type { EntityRow, LinkRow } from '../data/rows.ts';
import {
  ENTITY_COLUMNS,
  jsonOfRows,
  QUERIES,
  valuesOf,
  type SqlEntity,
  type SqlValue,
} from './relational.ts';
import { inTurn, only, type Group, type Operations, type Target, type TargetSetup } from './target.ts';

type Asked = (...values: readonly (string | number)[]) => Promise<Record<string, unknown>[]>;

/**
 * DuckDB with its own bulk loading, one appender per batch in its own transaction. It has no indexes: it is
 * optimized for zone maps and vectorized scans.
 */
export async function openDuckdb({ directory, questions, isNew }: TargetSetup): Promise<Target> {
  const instance = await DuckDBInstance.create(join(directory, 'graph.duckdb'));
  const connection = await instance.connect();
  if (isNew) await createSchema(connection);
  const [row] = (await connection.runAndReadAll('SELECT version() AS v')).getRowObjectsJson();
  return {
    version: `${typeof row?.['v'] === 'string' ? row['v'] : 'unknown'} (@duckdb/node-api)`,
    operations: operationsOf(connection, questions),
    addEntities: (batch) => append(connection, 'entity', batch, appendEntity),
    addRelationships: (batch) => append(connection, 'link', batch, appendLink),
    settle: async () => {
      await connection.run('ANALYZE');
      await connection.run('CHECKPOINT');
    },
    close: () => {
      connection.disconnectSync();
      instance.closeSync();
    },
  };
}

async function createSchema(connection: DuckDBConnection): Promise<void> {
  const columns = ENTITY_COLUMNS.map(([name, type]) => `${name} ${type}`);
  await connection.run(`CREATE TABLE entity (${columns.join(', ')})`);
  await connection.run('CREATE TABLE link (src INTEGER, kind INTEGER, dst INTEGER)');
}

async function append<Row>(
  connection: DuckDBConnection,
  table: string,
  batch: readonly Row[],
  appendRow: (appender: DuckDBAppender, row: Row) => void,
): Promise<void> {
  await connection.run('BEGIN');
  const appender = await connection.createAppender(table);
  for (const row of batch) {
    appendRow(appender, row);
    appender.endRow();
  }
  appender.closeSync();
  await connection.run('COMMIT');
}

function appendEntity(appender: DuckDBAppender, row: EntityRow): void {
  const values = valuesOf(row);
  for (let column = 0; column < values.length; column++) {
    appendValue(appender, values[column] ?? null, ENTITY_COLUMNS[column]?.[1] === 'INTEGER');
  }
}

function appendValue(appender: DuckDBAppender, value: SqlValue, isInteger: boolean): void {
  if (value === null) appender.appendNull();
  else if (typeof value === 'string') appender.appendVarchar(value);
  else if (isInteger) appender.appendInteger(value);
  else appender.appendDouble(value);
}

function appendLink(appender: DuckDBAppender, row: LinkRow): void {
  appender.appendInteger(row.from);
  appender.appendInteger(row.kind);
  appender.appendInteger(row.to);
}

/** DuckDB's own form of breadth-first search: the row of a key is replaced, not repeated. */
function breadthQuery(depth: number): string {
  return `
    WITH RECURSIVE reached(n, depth) USING KEY (n) AS (
      SELECT CAST($1 AS INTEGER), 0
      UNION SELECT link.dst, min(reached.depth) + 1 FROM reached JOIN link ON link.src = reached.n
      LEFT JOIN recurring.reached AS known ON known.n = link.dst
      WHERE known.n IS NULL AND reached.depth < ${depth} GROUP BY link.dst
    ) SELECT count(*) - 1 AS answer FROM reached`;
}

function operationsOf(
  connection: DuckDBConnection,
  questions: TargetSetup['questions'],
): Partial<Operations> {
  const prepare = (sql: string): Asked => {
    // Prepared on first use: a plan for empty tables would keep finding nothing.
    let prepared: Promise<DuckDBPreparedStatement> | undefined;
    return async (...values) => {
      prepared ??= connection.prepare(sql);
      const statement = await prepared;
      if (values.length > 0) statement.bind([...values]);
      return (await statement.runAndReadAll()).getRowObjectsJS();
    };
  };
  const counter = (sql: string): ((...values: readonly (string | number)[]) => Promise<number>) => {
    const asked = prepare(sql);
    return async (...values) => Number(only(await asked(...values))['answer']);
  };
  const records = (sql: string): ((value: string) => Promise<Uint8Array>) => {
    const asked = prepare(sql);
    return async (value) => jsonOfRows((await asked(value)) as readonly unknown[] as readonly SqlEntity[]);
  };
  const hosts = records(QUERIES.hosts);
  const group = prepare(QUERIES.group);
  const count = counter(QUERIES.count);
  const notExists = counter(QUERIES.notExists);
  const either = counter(QUERIES.either);
  const selective = counter(QUERIES.twoHopsSelective);
  const twoHops = counter(QUERIES.twoHops);
  const shallow = counter(breadthQuery(DEPTHS.shallow));
  const deep = counter(breadthQuery(DEPTHS.deep));
  return {
    hostsJson: () => hosts(questions.state),
    count: () => count(questions.state),
    group: async () => (await group()).map((row): Group => [String(row['value']), Number(row['count'])]),
    notExists: () => notExists(),
    either: () => either(questions.otherState, questions.region),
    twoHopsSelective: (at) => selective(inTurn(questions.serviceNames, at)),
    twoHops: () => twoHops(),
    breadthShallow: () => shallow(questions.start.index),
    breadthDeep: () => deep(questions.start.index),
  };
}
