/**
 * Rows of complete parts, back in the form in which they came: for the hook, when a run is opened again.
 * DuckDB reads them; it is loaded when it is needed, which on an edge it never is.
 */
import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import { assert, DomainError } from '#foundation';
import { basename } from 'node:path';
import type { EdgeInstance } from '../edge-instance.ts';
import { parsePartName } from '../file-names.ts';
import { IDENTITY_COLUMNS, partColumns } from '../parquet/part-schema.ts';
import { columnsOf, isFixedKind, isNumberKind, type ColumnSpec } from '../table/column-spec.ts';
import type { Column, TableBatch } from '../table/table-batch.ts';
import type { TableName } from '../table/tables.ts';
import type { BatchHook } from '../writer/recovery.ts';
import { columnOf, sliced } from './column-of-values.ts';

/**
 * Shows the rows of each file to the hook, a few thousand at a time: in the order of the file, those of
 * different instances apart. Throws REPORT_DATA_UNREADABLE.
 */
export async function readParts(paths: readonly string[], hook: BatchHook): Promise<void> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    for (const path of paths) await readPart(connection, path, hook);
  } finally {
    connection.disconnectSync();
    instance.closeSync();
  }
}

async function readPart(connection: DuckDBConnection, path: string, hook: BatchHook): Promise<void> {
  const table = parsePartName(basename(path))?.table;
  assert(table !== undefined, 'expected the name of a part');
  const specs = partColumns(table);
  for await (const chunk of chunksOf(connection, path, specs)) {
    const columns = specs.map((spec, at) => columnOf(spec, chunk.getColumnValues(at)));
    for (const { edge, from, to } of runsOf(columns)) {
      hook(edge, [batchOf(table, columns, from, to)]);
    }
  }
}

async function* chunksOf(
  connection: DuckDBConnection,
  path: string,
  specs: readonly ColumnSpec[],
): AsyncGenerator<DuckDBDataChunk> {
  try {
    const source = `read_parquet('${path.replaceAll("'", "''")}')`;
    yield* await connection.stream(`SELECT ${specs.map(selected).join(', ')} FROM ${source}`);
  } catch (error) {
    const message = `expected ${basename(path)} to be a whole Parquet file`;
    throw new DomainError('REPORT_DATA_UNREADABLE', message, { cause: error });
  }
}

/** In a type that comes as a plain value. */
function selected({ name, kind }: ColumnSpec): string {
  if (isNumberKind(kind)) return `"${name}"::DOUBLE`;
  return isFixedKind(kind) ? `unhex(substr("${name}", 3))` : `"${name}"`;
}

/** Stretches of rows of one edge instance; the first two columns say whose they are. */
function* runsOf([edges, instances]: readonly Column[]): Generator<{
  edge: EdgeInstance;
  from: number;
  to: number;
}> {
  assert(edges?.form === 'text' && instances?.form === 'text', 'expected the columns of the identity');
  const rows = edges.codes.length;
  for (let from = 0, to = 0; from < rows; from = to) {
    while (
      to < rows &&
      edges.codes[to] === edges.codes[from] &&
      instances.codes[to] === instances.codes[from]
    ) {
      to++;
    }
    const edgeId = edges.texts[edges.codes[from] ?? -1] ?? '';
    const instanceId = instances.texts[instances.codes[from] ?? -1] ?? '';
    yield { edge: { edgeId, instanceId }, from, to };
  }
}

function batchOf(table: TableName, columns: readonly Column[], from: number, to: number): TableBatch {
  const own: Record<string, Column> = {};
  for (const [at, { name }] of columnsOf(table).entries()) {
    const column = columns[at + IDENTITY_COLUMNS.length];
    if (column !== undefined) own[name] = sliced(column, from, to);
  }
  // The columns were read by the table's own list of them.
  return { table, rowCount: to - from, columns: own } as object as TableBatch;
}
