/** Converts rows to columns. *Hot path*: runs for every event of an edge. */
import { columnsOf } from '../table/column-spec.ts';
import type { BatchOf, Column, RowOf } from '../table/table-batch.ts';
import type { TableName } from '../table/tables.ts';
import { columnBuilder, type ColumnBuilder } from './column-builder.ts';

const VARIABLE_KINDS: ReadonlySet<string> = new Set(['utf8', 'bytes']);

/** Collects rows of one table. Its memory is reused after a reset. */
export class TableBuilder<T extends TableName> {
  readonly table: T;
  readonly #names: readonly string[];
  readonly #columns: readonly ColumnBuilder[];
  /** The columns with values of variable length. */
  readonly #variable: readonly ColumnBuilder[];
  #rowCount = 0;

  constructor(table: T) {
    this.table = table;
    const specs = columnsOf(table);
    this.#names = specs.map(({ name }) => name);
    this.#columns = specs.map(columnBuilder);
    this.#variable = this.#columns.filter((_, at) => VARIABLE_KINDS.has(specs[at]!.kind));
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  /** Approximate bytes of texts and blobs since the last reset. */
  get variableBytes(): number {
    let bytes = 0;
    for (let at = 0; at < this.#variable.length; at++) bytes += this.#variable[at]!.variableBytes;
    return bytes;
  }

  /** Copies the values. Asserts that each value fits its column. */
  append(values: RowOf<T>): void {
    const row = this.#rowCount;
    const byName: Readonly<Record<string, unknown>> = values;
    const columns = this.#columns;
    const names = this.#names;
    for (let at = 0; at < columns.length; at++) columns[at]!.append(row, byName[names[at]!]);
    this.#rowCount = row + 1;
  }

  /** The rows since the last reset, as views that are valid until the next change. */
  batch(): BatchOf<T> {
    const columns: Record<string, Column> = {};
    for (const [at, column] of this.#columns.entries()) {
      columns[this.#names[at] ?? ''] = column.view(this.#rowCount);
    }
    // The builders match the table's list of columns.
    return { table: this.table, rowCount: this.#rowCount, columns } as object as BatchOf<T>;
  }

  reset(): void {
    this.#rowCount = 0;
    for (const column of this.#columns) column.reset();
  }
}
