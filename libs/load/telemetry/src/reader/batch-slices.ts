/** Splits a row group into batches of one edge instance each, with their own value codes. */
import { assert } from '#platform/foundation';
import { IDENTITY_COLUMNS } from '../parquet/part-schema.ts';
import { columnsOf } from '../table/column-spec.ts';
import type { Column, EdgeInstance, TableBatch } from '../table/table-batch.ts';
import type { TableName } from '../table/tables.ts';

interface Slice {
  readonly edge: EdgeInstance;
  readonly batch: TableBatch;
}

/** The first columns contain the edge instance. Consecutive rows of one instance form a batch. */
export function* slicesOf(table: TableName, columns: readonly Column[]): Generator<Slice> {
  const [edges, instances] = columns;
  assert(edges?.form === 'text' && instances?.form === 'text', 'expected the columns of the identity');
  const own = columnsOf(table).map(({ name }, at) => ({
    name,
    column: columns[at + IDENTITY_COLUMNS.length],
  }));
  const slicers = own.map(({ name, column }) => {
    assert(column !== undefined, `expected a column ${name}`);
    return { name, slice: slicerOf(column) };
  });
  const rows = edges.codes.length;
  for (let from = 0, to = 0; from < rows; from = to) {
    while (
      to < rows &&
      edges.codes[to] === edges.codes[from] &&
      instances.codes[to] === instances.codes[from]
    )
      to++;
    const edgeId = edges.texts[edges.codes[from] ?? -1] ?? '';
    const instanceId = instances.texts[instances.codes[from] ?? -1] ?? '';
    const slice = Object.fromEntries(slicers.map(({ name, slice: cut }) => [name, cut(from, to)]));
    // The columns match the table's list of columns.
    yield {
      edge: { edgeId, instanceId },
      batch: { table, rowCount: to - from, columns: slice } as object as TableBatch,
    };
  }
}

function slicerOf(column: Column): (from: number, to: number) => Column {
  if (column.form === 'number')
    return (from, to) => ({ ...column, values: column.values.subarray(from, to) });
  const renumber = new Renumbering(column);
  return (from, to) => renumber.slice(column.codes.subarray(from, to));
}

/** Selects the values of a row group that a slice uses, and renumbers them. */
class Renumbering {
  readonly #column: Exclude<Column, { form: 'number' }>;
  /** Maps a code of the row group to its code in the slice, or to −1. */
  readonly #own: Int32Array;

  constructor(column: Exclude<Column, { form: 'number' }>) {
    this.#column = column;
    this.#own = new Int32Array(sizeOf(column)).fill(-1);
  }

  slice(codes: Int32Array): Column {
    const kept: number[] = [];
    const own = codes.map((code) => (code < 0 ? -1 : this.#numberOf(code, kept)));
    for (const code of kept) this.#own[code] = -1;
    return pick(this.#column, kept, own);
  }

  #numberOf(code: number, kept: number[]): number {
    const known = this.#own[code] ?? -1;
    if (known >= 0) return known;
    this.#own[code] = kept.length;
    return kept.push(code) - 1;
  }
}

function sizeOf(column: Exclude<Column, { form: 'number' }>): number {
  if (column.form === 'fixed') return column.bytes.length / column.width;
  return column.form === 'text' ? column.texts.length : column.blobs.length;
}

function pick(
  column: Exclude<Column, { form: 'number' }>,
  kept: readonly number[],
  codes: Int32Array,
): Column {
  if (column.form === 'text')
    return { form: 'text', codes, texts: kept.map((code) => column.texts[code] ?? '') };
  if (column.form === 'blob') {
    return { form: 'blob', codes, blobs: kept.map((code) => column.blobs[code] ?? new Uint8Array(0)) };
  }
  const { width } = column;
  const bytes = new Uint8Array(kept.length * width);
  for (const [at, code] of kept.entries()) {
    bytes.set(column.bytes.subarray(code * width, (code + 1) * width), at * width);
  }
  return { form: 'fixed', codes, width, bytes };
}
