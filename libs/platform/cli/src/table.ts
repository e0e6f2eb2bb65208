import { visibleText } from './output.ts';
import { styled } from './style.ts';

const CELL_WIDTH_MAX = 60;

/** Columns with headings, sized to their content; long cells are cut with an ellipsis. */
export function formatTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [columns, ...rows].map((row) => row.map(shown));
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const [head = [], ...body] = cells;
  const rule = widths.map((width) => '─'.repeat(width));
  const [titles = '', under = '', ...lines] = [head, rule, ...body].map((row) => line(row, widths));
  return [styled('bold', titles), styled('dim', under), ...lines].join('\n');
}

function line(row: readonly string[], widths: readonly number[]): string {
  return widths
    .map((width, column) => (row[column] ?? '').padEnd(width))
    .join('  ')
    .trimEnd();
}

function shown(cell: string): string {
  const visible = visibleText(cell);
  return visible.length > CELL_WIDTH_MAX ? `${visible.slice(0, CELL_WIDTH_MAX - 1)}…` : visible;
}
