import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { basename, join } from 'node:path';
import { columnsOf, type ColumnSpec, TABLE_NAMES, type TableName } from '#load/telemetry';
import { DomainError } from '#platform/foundation';

export type Row = Readonly<Record<string, unknown>>;

/** Tables that are missing in runs of earlier versions. */
const LATER_TABLES: ReadonlySet<TableName> = new Set(['findings', 'reads']);

/** The tables with views; SQL reads no others. */
export const QUERIED_TABLES: ReadonlySet<TableName> = new Set([
  ...(['transactions', 'errors', 'intervals', 'violations', 'edges', 'reads'] as const),
]);

const SQL_TYPES: Readonly<Record<ColumnSpec['kind'], string>> = {
  i64: 'BIGINT',
  i32: 'INTEGER',
  u8: 'INTEGER',
  bool: 'BOOLEAN',
  bytes: 'BLOB',
  dict: 'VARCHAR',
  utf8: 'VARCHAR',
  wei: 'VARCHAR',
  bytes32: 'VARCHAR',
  address: 'VARCHAR',
};

/** How far each edge's clock is ahead of the hive's: hive time = edge time − offset. */
const CLOCKS = `CREATE VIEW clocks AS
  SELECT edge_id, any_value(clock_offset_us) AS offset_us FROM edges GROUP BY edge_id`;

/** The Parquet files of a run as SQL views, one per queried table, in a separate DuckDB instance. */
export class RunFiles {
  readonly #connection: DuckDBConnection;
  readonly #instance: DuckDBInstance;
  /** Paths of all queried parts. */
  readonly #paths: string[] = [];

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(
    directory: string,
    parts: readonly { table: TableName; name: string }[],
  ): Promise<RunFiles> {
    // Most commands that import reports build none.
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const instance = await DuckDBInstance.create(':memory:');
    const files = new RunFiles(instance, await instance.connect());
    try {
      for (const table of TABLE_NAMES) {
        const paths = parts.filter((part) => part.table === table).map(({ name }) => join(directory, name));
        await files.#view(table, paths);
      }
      await files.rows(CLOCKS);
      return files;
    } catch (error) {
      files.close();
      throw error;
    }
  }

  /** Integers are returned as numbers if SQL casts them to DOUBLE. Throws REPORT_DATA_UNREADABLE. */
  async rows<R extends Row>(sql: string): Promise<readonly R[]> {
    try {
      const rows: readonly Row[] = (await this.#connection.runAndReadAll(sql)).getRowObjectsJS();
      return rows as readonly R[];
    } catch (error) {
      throw unreadable(error, fileNamedBy(error) ?? (await this.#firstUnreadable()));
    }
  }

  async row<R extends Row>(sql: string): Promise<R> {
    const [row] = await this.rows<R>(sql);
    if (row === undefined) throw unreadable(new Error('no row'), undefined);
    return row;
  }

  close(): void {
    this.#connection.disconnectSync();
    this.#instance.closeSync();
  }

  async #view(table: TableName, paths: readonly string[]): Promise<void> {
    if (paths.length === 0 && !LATER_TABLES.has(table)) {
      throw new DomainError(
        'REPORT_DATA_MISSING',
        `expected a ${table} part among those of the run, found none`,
      );
    }
    if (!QUERIED_TABLES.has(table)) return;
    if (paths.length === 0) {
      await this.rows(`CREATE VIEW ${table} AS SELECT ${nothingOf(columnsOf(table))} WHERE false`);
      return;
    }
    this.#paths.push(...paths);
    const source = `read_parquet([${paths.map(quoted).join(', ')}])`;
    await this.rows(`CREATE VIEW ${table} AS SELECT ${await this.#columnsOf(table, source)} FROM ${source}`);
  }

  /** Times as microseconds since 1970; columns missing in earlier versions are null. */
  async #columnsOf(table: TableName, source: string): Promise<string> {
    const columns = await this.rows<{ column_name: string; column_type: string }>(
      `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${source})`,
    );
    const times = columns.filter(({ column_type: type }) => type.startsWith('TIMESTAMP'));
    const replaced = times.map(({ column_name: name }) => `epoch_us("${name}") AS "${name}"`);
    const all = replaced.length === 0 ? '*' : `* REPLACE (${replaced.join(', ')})`;
    const names = new Set(columns.map(({ column_name: name }) => name));
    const missing = columnsOf(table).filter(({ name }) => !names.has(name));
    return missing.length === 0 ? all : `${all}, ${nothingOf(missing)}`;
  }

  /** DuckDB errors do not always name the file: this reads all of them. */
  async #firstUnreadable(): Promise<string | undefined> {
    for (const path of this.#paths) {
      const sql = `SELECT max(hash(part)) FROM read_parquet(${quoted(path)}) AS part`;
      const isRead = await this.#connection.runAndReadAll(sql).then(
        () => true,
        () => false,
      );
      if (!isRead) return basename(path);
    }
    return undefined;
  }
}

function nothingOf(columns: readonly ColumnSpec[]): string {
  return columns.map(({ name, kind }) => `NULL::${SQL_TYPES[kind]} AS "${name}"`).join(', ');
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "''")}'`;
}

function fileNamedBy(error: unknown): string | undefined {
  return /([\w-]+\.parquet)/.exec(error instanceof Error ? error.message : '')?.[1];
}

function unreadable(cause: unknown, file: string | undefined): DomainError {
  const name = file ?? 'the files of the run';
  return new DomainError('REPORT_DATA_UNREADABLE', `expected Parquet that can be read in ${name}`, {
    cause,
    ...(file !== undefined && { details: { file } }),
  });
}
