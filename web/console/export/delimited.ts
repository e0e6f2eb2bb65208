import { spreadsheetText, type TableData } from '../../kit/table/table-data.ts';
import type { QueryReplyDto } from '../api/generated/types.gen.ts';

/** RFC 4180 for a spreadsheet, with a header row. Lists and records are written as JSON. */
export function csvOf({ columns, rows }: TableData): string {
  const lines = [columns, ...rows].map((row) => row.map((value) => csvField(value)).join(','));
  return `${lines.join('\r\n')}\r\n`;
}

function csvField(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : spreadsheetText(value);
  return quoted(text);
}

/** A CSV of the service for a spreadsheet: what it would compute is marked as text, the rest is as it was. */
export function guardedCsv(csv: string): string {
  return csv.replaceAll(/("(?:[^"]|"")*"|[^",\r\n]+)(?=,|\r?\n|$)/g, (field) => {
    const isQuoted = field.startsWith('"');
    const text = isQuoted ? field.slice(1, -1).replaceAll('""', '"') : field;
    const guarded = spreadsheetText(text);
    return guarded === text ? field : quoted(guarded);
  });
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A line for each row, as an object; or for each group, path or entity, as the service returns it. */
export function ndjsonOf(pages: readonly QueryReplyDto[]): string {
  return pages
    .flatMap(({ columns, rows, groups, paths, impacted, entities }) => {
      if (columns !== undefined && rows !== undefined) {
        return rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])));
      }
      return groups ?? paths ?? impacted ?? entities;
    })
    .map((item) => `${JSON.stringify(item)}\n`)
    .join('');
}
