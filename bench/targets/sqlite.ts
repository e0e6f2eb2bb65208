import { join } from 'node:path';
import Database, { type Statement } from 'better-sqlite3';
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
} from './relational.ts';
import { inTurn, only, type Group, type Operations, type Target, type TargetSetup } from './target.ts';

const CACHE_KIB = 262_144;

/** SQLite in write-ahead mode with full synchronization: a committed transaction is synced. */
export function openSqlite({ directory, questions, isNew }: TargetSetup): Promise<Target> {
  const database = new Database(join(directory, 'graph.db'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma(`cache_size = -${CACHE_KIB}`);
  if (isNew) createSchema(database);
  const version = database.prepare<{ v: string }>('SELECT sqlite_version() AS v').get()?.v ?? '';
  return Promise.resolve({
    version: `${version} (better-sqlite3)`,
    operations: operationsOf(database, questions),
    ...writersOf(database),
    settle: () => {
      database.exec('ANALYZE');
      database.pragma('wal_checkpoint(TRUNCATE)');
    },
    close: () => {
      database.close();
    },
  });
}

function createSchema(database: Database): void {
  const columns = ENTITY_COLUMNS.map(
    ([name, type]) => `${name} ${type}${name === 'n' ? ' PRIMARY KEY' : ''}`,
  );
  database.exec(`CREATE TABLE entity (${columns.join(', ')})`);
  database.exec('CREATE UNIQUE INDEX entity_id ON entity (id)');
  database.exec(
    'CREATE TABLE link (src INTEGER, kind INTEGER, dst INTEGER, PRIMARY KEY (src, kind, dst)) WITHOUT ROWID',
  );
  for (const index of INDEXES) database.exec(index);
}

function writersOf(database: Database): Pick<Target, 'addEntities' | 'addRelationships' | 'addOne'> {
  const updates = ENTITY_COLUMNS.map(([name]) => `${name} = excluded.${name}`).join(', ');
  const marks = ENTITY_COLUMNS.map(() => '?').join(', ');
  const putEntity = database.prepare<never>(
    `INSERT INTO entity (${COLUMN_NAMES}) VALUES (${marks}) ON CONFLICT (id) DO UPDATE SET ${updates}`,
  );
  const putLink = database.prepare<never>('INSERT OR REPLACE INTO link (src, kind, dst) VALUES (?, ?, ?)');
  return {
    addEntities: database.transaction((batch: readonly EntityRow[]) => {
      for (const row of batch) putEntity.run(...valuesOf(row));
    }),
    addRelationships: database.transaction((batch: readonly LinkRow[]) => {
      for (const row of batch) putLink.run(row.from, row.kind, row.to);
    }),
    addOne: (row) => {
      putEntity.run(...valuesOf(row));
    },
  };
}

function operationsOf(database: Database, questions: TargetSetup['questions']): Partial<Operations> {
  const prepare = <T>(sql: string): Statement<T> => database.prepare(sql.replaceAll(/\$\d/g, '?'));
  const lookup = prepare<SqlEntity>(QUERIES.lookup);
  const hosts = prepare<SqlEntity>(QUERIES.hosts);
  const rack = prepare<SqlEntity>(QUERIES.rack);
  const group = prepare<{ value: string; count: number }>(QUERIES.group);
  const counter = (sql: string): ((...values: (string | number)[]) => number) => {
    const statement = prepare<{ answer: number }>(sql);
    return (...values) => statement.get(...values)?.answer ?? -1;
  };
  const count = counter(QUERIES.count);
  const notExists = counter(QUERIES.notExists);
  const either = counter(QUERIES.either);
  const selective = counter(QUERIES.twoHopsSelective);
  const twoHops = counter(QUERIES.twoHops);
  const shallow = counter(BREADTH_SHALLOW);
  const deep = counter(BREADTH_DEEP);
  return {
    lookup: (at) => recordOfRow(only(lookup.all(inTurn(questions.lookups, at).id))),
    hostsJson: () => jsonOfRows(hosts.all(questions.state)),
    rackJson: (at) => jsonOfRows(rack.all(inTurn(questions.racks, at))),
    count: () => count(questions.state),
    group: () => group.all().map(({ value, count: size }): Group => [value, size]),
    notExists: () => notExists(),
    either: () => either(questions.otherState, questions.region),
    twoHopsSelective: (at) => selective(inTurn(questions.serviceNames, at)),
    twoHops: () => twoHops(),
    breadthShallow: () => shallow(questions.start.index),
    breadthDeep: () => deep(questions.start.index),
  };
}
