import { join } from 'node:path';
import type { Disk } from '#platform/disk';
import { openName, parsePartName, partName } from '../file-names.ts';
import type { Compression } from '../parquet/compression.ts';
import { readFooter } from '../parquet/part-footer.ts';
import { PartWriter } from '../parquet/part-writer.ts';
import type { EdgeInstance, TableBatch } from '../table/table-batch.ts';
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

interface PartNumber {
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

/** Where and how the files of a run are written. */
export interface PartPlace {
  readonly disk: Disk;
  readonly directory: string;
  readonly runId: string;
  readonly compression: Compression;
  readonly pageRows?: number | undefined;
  readonly rowGroupRows?: number | undefined;
}

/** The parts that are made of one journal: one for each table that has rows in it. */
export class PartGeneration {
  readonly number: number;
  readonly #place: PartPlace;
  readonly #writers = new Map<TableName, PartWriter>();

  constructor(place: PartPlace, number: number) {
    this.#place = place;
    this.number = number;
  }

  /** Takes rows; resolves when more may come. */
  async append(edge: EdgeInstance, batches: readonly TableBatch[]): Promise<void> {
    for (const batch of batches) {
      const writer = await this.begin(batch.table);
      await writer.append(edge, batch);
    }
  }

  /** The part of a table, made if it is not there: it will have no rows then. */
  async begin(table: TableName): Promise<PartWriter> {
    const begun = this.#writers.get(table);
    if (begun !== undefined) return begun;
    const { disk, directory } = this.#place;
    const file = await disk.open(join(directory, openName(partName(table, this.number))), 'create');
    const writer = new PartWriter(table, file, this.#place);
    this.#writers.set(table, writer);
    return writer;
  }

  /** Completes the parts: they have their names, durably, when it resolves. */
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

  /** Closes the files as they are: they do not count. */
  async abandon(): Promise<void> {
    for (const writer of this.#writers.values()) await writer.abandon();
    this.#writers.clear();
  }
}
