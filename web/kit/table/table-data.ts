/** The content of a table: any values, sorted by kind and then by value. */
export interface TableData {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

export interface SortOrder {
  readonly column: number;
  readonly isDescending: boolean;
}

const COLLATOR = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
const KIND_ORDER = ['number', 'bigint', 'string', 'boolean', 'object'];

/** Characters that change the order in which following ones are shown. */
const DIRECTION_MARK = /[\u202a-\u202e\u2066-\u2069]/g;

/** Text as it is shown: characters that would reorder it are visible as their code points. */
export function shownText(text: string): string {
  return text.replace(
    DIRECTION_MARK,
    (mark) => `‹U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase()}›`,
  );
}

/** A value as one line of text: null is empty, a record of the graph its name, anything else JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const { display_name: name, key, verb } = value as Readonly<Record<string, unknown>>;
  const own = [name, key, verb].find((text) => typeof text === 'string' && text !== '');
  return typeof own === 'string' ? own : JSON.stringify(value);
}

/**
 * Indices of the rows in sorted order, or in the given order. Equal rows keep their order, missing values are
 * last.
 */
export function orderOf(rows: TableData['rows'], order: SortOrder | undefined): Uint32Array {
  const indices = Uint32Array.from(rows, (_row, index) => index);
  if (order === undefined) return indices;
  const { column, isDescending } = order;
  return indices.sort((a, b) => {
    const [left, right] = [rows[a]?.[column], rows[b]?.[column]];
    if (isMissing(left) || isMissing(right))
      return Number(isMissing(left)) - Number(isMissing(right)) || a - b;
    const difference = compareValues(left, right);
    return (isDescending ? -difference : difference) || a - b;
  });
}

/** All of a row as one text in lower case, to be searched. */
export function rowTexts(rows: TableData['rows']): readonly string[] {
  return rows.map((row) => row.map((cell) => cellText(cell).toLowerCase()).join('\n'));
}

/** How a spreadsheet's formula begins, also in the wide forms of its signs. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]./su;
const PLAIN_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * The text of a cell for a spreadsheet: one that it would compute as a formula gets an apostrophe in front,
 * which marks text there. Names and properties come from sources that an attacker may write to. Numbers stay.
 */
export function spreadsheetText(value: unknown): string {
  const text = cellText(value);
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}

/** Rows as a spreadsheet takes them: cells with tabs between them, and the names of columns first. */
export function copiedText(
  { columns, rows }: TableData,
  { shown, order }: { readonly shown: readonly number[]; readonly order: Iterable<number> },
): string {
  const lines = [shown.map((column) => spreadsheetCell(columns[column]))];
  for (const index of order) lines.push(shown.map((column) => spreadsheetCell(rows[index]?.[column])));
  return lines.map((cells) => cells.join('\t')).join('\n');
}

/** A cell with a tab, a quote or a new line stands in quotes. */
function spreadsheetCell(value: unknown): string {
  const text = spreadsheetText(value);
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The columns in the order and choice of the user; new ones are shown last. */
export interface ColumnChoice {
  readonly order: readonly string[];
  readonly hidden: ReadonlySet<string>;
}

/** The numbers of the shown columns, in order. */
export function shownColumns(columns: readonly string[], { order, hidden }: ColumnChoice): readonly number[] {
  const ranks = new Map(order.map((name, rank) => [name, rank]));
  const rankOf = (column: number): number => ranks.get(columns[column] ?? '') ?? order.length + column;
  return Array.from(columns, (_name, column) => column)
    .filter((column) => !hidden.has(columns[column] ?? ''))
    .sort((a, b) => rankOf(a) - rankOf(b));
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined;
}

function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const kinds = KIND_ORDER.indexOf(typeof a) - KIND_ORDER.indexOf(typeof b);
  return kinds === 0 ? COLLATOR.compare(cellText(a), cellText(b)) : kinds;
}

/** Widths of columns in characters, estimated from the first rows. */
export function columnWidths({ columns, rows }: TableData, max: number): readonly number[] {
  const sample = rows.slice(0, 200);
  return columns.map((name, column) =>
    sample.reduce(
      (width, row) => Math.min(max, Math.max(width, cellText(row[column]).length)),
      name.length + 2,
    ),
  );
}
