import { join } from 'node:path';
import type { Disk } from '#platform/disk';
import { openName, parsePartName, partName } from '../file-names.ts';
import type { Compression } from '../parquet/compression.ts';
import { readFooter } from '../parquet/part-footer.ts';
import { PartWriter } from '../parquet/part-writer.ts';
import type { EdgeInstance, TableBatch } from '../table/table-batch.ts';
import type { TableName } from '../table/tables.ts';

/** A complete Parquet file of a run, as listed in `run.json`. */
export interface PartFile {
  readonly table: TableName;
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  /** CRC-32C of the footer, from its first byte to the end of the file: eight hexadecimal digits. */
  readonly footerCrc: string;
}

interface PartNumber {
  readonly name: string;
  readonly table: TableName;
  readonly number: number;
}

/** The parts with their final names, in the order of the directory listing. */
export async function completeParts(disk: Disk, directory: string): Promise<readonly PartNumber[]> {
  return (await disk.list(directory)).flatMap((name) => {
    const part = parsePartName(name);
    return part?.isComplete === true ? [{ name, table: part.table, number: part.number }] : [];
  });
}

/** The complete parts with the data of their footers. Throws REPORT_DATA_UNREADABLE for an invalid footer. */
export async function listParts(disk: Disk, directory: string): Promise<readonly PartFile[]> {
  const files: PartFile[] = [];
  for (const { name, table } of await completeParts(disk, directory)) {
    const { rows, bytes, footerCrc } = await readFooter(disk, join(directory, name));
    files.push({ table, name, rows, bytes, footerCrc });
  }
  return files;
}

/** The location and format of a run's files. */
export interface PartPlace {
  readonly disk: Disk;
  readonly directory: string;
  readonly runId: string;
  readonly compression: Compression;
  readonly pageRows?: number | undefined;
  readonly rowGroupRows?: number | undefined;
}

/** The parts of one journal: one for each table with rows in it. */
export class PartGeneration {
  readonly number: number;
  readonly #place: PartPlace;
  readonly #writers = new Map<TableName, PartWriter>();

  constructor(place: PartPlace, number: number) {
    this.#place = place;
    this.number = number;
  }

  /** Appends rows. Calls must not overlap. */
  async append(edge: EdgeInstance, batches: readonly TableBatch[]): Promise<void> {
    for (const batch of batches) {
      const writer = await this.begin(batch.table);
      await writer.append(edge, batch);
    }
  }

  /** Returns the part of a table, and creates it if it is missing. */
  async begin(table: TableName): Promise<PartWriter> {
    const begun = this.#writers.get(table);
    if (begun !== undefined) return begun;
    const { disk, directory } = this.#place;
    const file = await disk.open(join(directory, openName(partName(table, this.number))), 'create');
    const writer = new PartWriter(table, file, this.#place);
    this.#writers.set(table, writer);
    return writer;
  }

  /** Completes the parts. Resolves when their final names are durable. */
  async finish(): Promise<void> {
    const { disk, directory } = this.#place;
    const names: string[] = [];
    for (const [table, writer] of this.#writers) {
      this.#writers.delete(table);
      await writer.finish();
      names.push(partName(table, this.number));
    }
    for (const name of names) await disk.rename(join(directory, openName(name)), join(directory, name));
    if (names.length > 0) await disk.syncDirectory(directory);
  }

  /** Closes the incomplete files, which recovery removes. */
  async abandon(): Promise<void> {
    for (const writer of this.#writers.values()) await writer.abandon();
    this.#writers.clear();
  }
}
