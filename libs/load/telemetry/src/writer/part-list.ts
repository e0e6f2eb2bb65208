import { join } from 'node:path';
import type { Disk } from '#platform/disk';
import { parsePartName } from '../file-names.ts';
import { readFooter } from '../parquet/part-footer.ts';
import type { TableName } from '../table/tables.ts';

/** A complete Parquet file of a run, as `run.json` lists it. */
export interface PartFile {
  readonly table: TableName;
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  /** CRC-32C of the footer, from its first byte to the end of the file: eight hexadecimal digits. */
  readonly footerCrc: string;
}

export interface PartNumber {
  readonly name: string;
  readonly table: TableName;
  readonly number: number;
}

/** The parts that have their names, by name. */
export async function completeParts(disk: Disk, directory: string): Promise<readonly PartNumber[]> {
  return (await disk.list(directory)).flatMap((name) => {
    const part = parsePartName(name);
    return part?.isComplete === true ? [{ name, table: part.table, number: part.number }] : [];
  });
}

/** The same with what their footers say. Throws REPORT_DATA_UNREADABLE when one says nothing. */
export async function listParts(disk: Disk, directory: string): Promise<readonly PartFile[]> {
  const files: PartFile[] = [];
  for (const { name, table } of await completeParts(disk, directory)) {
    const { rows, bytes, footerCrc } = await readFooter(disk, join(directory, name));
    files.push({ table, name, rows, bytes, footerCrc });
  }
  return files;
}
