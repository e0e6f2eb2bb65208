import { join } from 'node:path';
import type { Disk } from '#platform/disk';
import type { EdgeInstance } from '../edge-instance.ts';
import { openName, partName } from '../file-names.ts';
import type { Compression } from '../parquet/compression.ts';
import { PartWriter } from '../parquet/part-writer.ts';
import type { TableBatch } from '../table/table-batch.ts';
import type { TableName } from '../table/tables.ts';

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
export class Generation {
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
