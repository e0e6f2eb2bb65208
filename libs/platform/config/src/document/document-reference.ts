import type { Field, Fields, Shape } from './shape.ts';

/** One row of a reference page. */
export interface ReferenceRow {
  /** Path of the field, such as `load.stages[].rate`. */
  readonly key: string;
  readonly expects: string;
  /** Undefined for a required key, and for an optional one without a default. */
  readonly fallback: string | undefined;
  readonly isRequired: boolean;
  readonly about: string;
}

/** All keys of a table and of its nested tables, in order. */
export function referenceRows(shape: Shape<unknown>, prefix = ''): readonly ReferenceRow[] {
  return Object.entries(fieldsOf(shape)).flatMap(([name, field]) => {
    const key = prefix + name + (field.shape.item === undefined ? '' : '[]');
    const inside = field.shape.entry === undefined ? key : `${key}.<name>`;
    return [rowOf(key, field), ...referenceRows(field.shape, `${inside}.`)];
  });
}

/** The rows as a Markdown table. */
export function referenceTable(rows: readonly ReferenceRow[]): string {
  const cells = rows.map(({ key, expects, fallback, isRequired, about }) => [
    `\`${key}\``,
    expects,
    fallback === undefined ? (isRequired ? 'required' : '') : `\`${fallback}\``,
    about,
  ]);
  return markdownTable([['key', 'value', 'default', 'description'], ...cells]);
}

function fieldsOf(shape: Shape<unknown>): Fields {
  return shape.fields ?? shape.item?.fields ?? shape.entry?.fields ?? {};
}

function rowOf(key: string, field: Field<unknown>): ReferenceRow {
  const { shape, about, fallback, written = fallback, isOptional } = field;
  const isTable = shape.fields !== undefined;
  const isRequired = fallback === undefined && isOptional === undefined;
  const shown = fallback === undefined || isTable ? undefined : JSON.stringify(written);
  return { key, expects: shape.expects, fallback: shown, isRequired: isRequired && !isTable, about };
}

/** Columns of equal width, as Prettier writes them. The first row is the header. */
function markdownTable(rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = (escaped[0] ?? []).map((_, column) =>
    Math.max(3, ...escaped.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [head = [], ...body] = escaped;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
