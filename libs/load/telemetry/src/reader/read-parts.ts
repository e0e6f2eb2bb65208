/**
 * Decodes complete parts to batches for the hook when a run is reopened. Supports only the subset of Parquet
 * that `parquet/` writes, and is five times as fast as a general reader.
 */
import { basename, join } from 'node:path';
import { type Disk, isMissingFile } from '#platform/disk';
import { assert, DomainError } from '#platform/foundation';
import { wireFault } from '../bytes/byte-reader.ts';
import { parsePartName } from '../file-names.ts';
import { readMetadata, unreadableUnless } from '../parquet/part-footer.ts';
import { partColumns } from '../parquet/part-schema.ts';
import type { Column, EdgeInstance, TableBatch } from '../table/table-batch.ts';
import type { TableName } from '../table/tables.ts';
import { slicesOf } from './batch-slices.ts';
import { pagesOf, placesOf, rawPagesOf, type RowGroupPlace } from './chunk-reader.ts';
import { columnOf } from './column-reader.ts';

/** Receives batches of one edge instance. */
export type BatchHook = (edge: EdgeInstance, batches: readonly TableBatch[]) => void;

/**
 * Passes the rows of each part to the hook, in the order of the file, with separate calls for different
 * instances. Throws REPORT_DATA_MISSING or REPORT_DATA_UNREADABLE with the file's name, `DiskError` for a
 * read error, and any error of the hook. The hook may have received whole row groups before the error.
 */
export async function readParts(
  { disk, directory }: { readonly disk: Disk; readonly directory: string },
  names: readonly string[],
  hook: BatchHook,
): Promise<void> {
  for (const name of names) {
    const table = parsePartName(basename(name))?.table;
    assert(table !== undefined, 'expected the name of a part');
    await eachRowGroup(disk, join(directory, name), (place, bytes) => {
      const columns = unreadableUnless(name, () => decoded(table, place, bytes));
      for (const { edge, batch } of slicesOf(table, columns)) hook(edge, [batch]);
    });
  }
}

/** Verifies the checksums of all pages of each part. Throws as {@link readParts} does. */
export async function verifyParts(disk: Disk, paths: readonly string[]): Promise<void> {
  let room = new Uint8Array();
  // Allocating new memory costs as much as the checksums.
  const again = (length: number): Uint8Array => {
    if (room.length < length) room = new Uint8Array(length);
    return room.subarray(0, length);
  };
  for (const path of paths) {
    const check: RowGroupHook = ({ chunks }, bytes) => {
      unreadableUnless(path, () => {
        for (const place of chunks.values()) Array.from(rawPagesOf(bytes, place));
      });
    };
    await eachRowGroup(disk, path, check, again);
  }
}

type RowGroupHook = (place: RowGroupPlace, bytes: Uint8Array) => void;

async function eachRowGroup(
  disk: Disk,
  path: string,
  take: RowGroupHook,
  roomFor = (length: number): Uint8Array => new Uint8Array(length),
): Promise<void> {
  const name = basename(path);
  const file = await disk.open(path, 'read').catch(asMissingData(name));
  try {
    const metadata = await readMetadata(file, name);
    for (const place of unreadableUnless(name, () => placesOf(metadata))) {
      const bytes = roomFor(place.end - place.start);
      const count = await file.read(bytes, place.start);
      take(place, bytes.subarray(0, count));
    }
  } finally {
    await file.close();
  }
}

function asMissingData(name: string): (error: unknown) => never {
  return (error) => {
    if (!isMissingFile(error)) throw error;
    throw new DomainError('REPORT_DATA_MISSING', `expected the file ${name}`, { cause: error });
  };
}

function decoded(table: TableName, place: RowGroupPlace, bytes: Uint8Array): readonly Column[] {
  return partColumns(table).map((spec) => {
    const chunk = place.chunks.get(spec.name);
    if (chunk === undefined) throw wireFault(`expected a column ${spec.name}`);
    return columnOf(spec, pagesOf(bytes, chunk), place.rows);
  });
}
