/** Rows that came and went as a table, whose first column has their signs. */
import type { TableData } from '../../kit/table/table-data.ts';
import type { EntityDto, RowDiffReplyDto } from '../api/generated/types.gen.ts';
import { entityTable } from '../results/result-table.ts';
import { SIGNS } from '../graph/compare-graphs.ts';

/** All pages of one diff. */
export function rowChangeTable(pages: readonly RowDiffReplyDto[]): TableData {
  const changes = pages.flatMap(({ rows }) => rows);
  const rows = changes.map(({ row }) => row);
  const { columns, rows: cells } = rows.every(isEntity) ? entityTable(rows) : plainTable(pages, rows);
  return {
    columns: ['change', ...columns],
    rows: cells.map((row, at) => {
      const change = changes[at]?.change ?? 'came';
      return [`${SIGNS[change]} ${change}`, ...row];
    }),
  };
}

function plainTable(
  [first]: readonly RowDiffReplyDto[],
  rows: readonly Readonly<Record<string, unknown>>[],
): TableData {
  const columns = first?.columns ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return { columns, rows: rows.map((row) => columns.map((name) => row[name])) };
}

/** The entity of a cell, or of the row. */
export function rowEntityId(
  pages: readonly RowDiffReplyDto[],
  { rows }: TableData,
  row: readonly unknown[],
  column: number,
): string | undefined {
  const cell = row[column];
  if (typeof cell === 'object' && cell !== null && isEntity(cell as Readonly<Record<string, unknown>>))
    return (cell as EntityDto).id;
  const whole = pages.flatMap((page) => page.rows)[rows.indexOf(row)]?.row;
  return whole !== undefined && isEntity(whole) ? whole.id : undefined;
}

function isEntity(
  row: Readonly<Record<string, unknown>>,
): row is Readonly<Record<string, unknown>> & EntityDto {
  return typeof row['id'] === 'string' && typeof row['display_name'] === 'string';
}
