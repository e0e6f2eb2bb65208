/**
 * Comma-separated values as HAProxy writes them: `# ` and the column names, then a line for each row, with an
 * empty last column. A field in double quotes may contain commas, line ends, and doubled quotes.
 */
export type CsvRow = ReadonlyMap<string, string>;

/** Rows by column name; undefined when the text is not a table. */
export function parseCsvTable(text: string): readonly CsvRow[] | undefined {
  if (!text.startsWith('# ')) return undefined;
  const [header, ...lines] = splitCells(text.slice(2));
  if (header === undefined || header.length < 2) return undefined;
  const rows = lines.filter((cells) => cells.length > 1);
  if (rows.some((cells) => cells.length !== header.length)) return undefined;
  return rows.map((cells) => new Map(header.map((name, column) => [name, cells[column] ?? ''])));
}

const CELL = /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/y;

function splitCells(text: string): string[][] {
  const lines: string[][] = [[]];
  CELL.lastIndex = 0;
  while (CELL.lastIndex < text.length) {
    const cell = CELL.exec(text);
    if (cell === null) return [];
    const [, quoted, plain = '', end] = cell;
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '\n') lines.push([]);
  }
  return lines;
}
