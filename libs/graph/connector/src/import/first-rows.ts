import type { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { piecesOf } from '../connectors/document/source-pieces.ts';
import { csvRows } from '../connectors/table/csv-rows.ts';
import { jsonRows } from '../connectors/table/json-rows.ts';
import { isBadRow, type SourceRow } from '../connectors/table/source-row.ts';
import type { ImportConfig } from './import-source.ts';

const ROWS_MAX = 1_000;

/** The first rows that can be read. Throws INVALID_REQUEST if none of them can. */
export async function firstRows(
  disk: Disk,
  path: string,
  { csv, json }: { readonly csv?: ImportConfig; readonly json?: ImportConfig },
): Promise<readonly SourceRow[]> {
  const bytes = piecesOf(disk, path);
  const form = { delimiter: csv?.delimiter, columns: csv?.columns ?? [] };
  const found = csv === undefined ? jsonRows(bytes, json?.records) : csvRows(bytes, form);
  const rows: SourceRow[] = [];
  let fault: string | undefined;
  for await (const row of found) {
    if (isBadRow(row)) fault ??= `${row.place}: ${row.fault}`;
    else if (rows.push(row) >= ROWS_MAX) break;
  }
  if (rows.length > 0) return rows;
  throw new DomainError('INVALID_REQUEST', fault ?? 'expected rows after the header, got none');
}
