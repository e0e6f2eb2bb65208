/**
 * Moves a whole store between a directory and a database. An interrupted transfer can be restarted; one that
 * was interrupted after its end is found to be complete.
 */
import { randomUUID } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import {
  BatchBuilder,
  type BatchWriter,
  crc32c,
  holdsStore,
  requireEmptyDirectory,
  restoreStore,
  Storage,
  type StorageLog,
  type Store,
} from '#graph/storage';
import type { Disk } from '#platform/disk';
import { assert, type Clock, DomainError } from '#platform/foundation';
import { BaseTable } from './base-table.ts';
import { BatchTable, type Head } from './batch-table.ts';
import { Connection } from './connection.ts';
import { CopySource } from './copy-source.ts';
import { IDENTITY_KEY, LocalCopy } from './local-copy.ts';
import { prepareSchema, requireDurable, requireStore } from './schema.ts';
import type { StoreAddress } from './store-address.ts';

const NODE = 'plexus store copy';

/** Summary of a store's contents, tombstones included: equal stores have equal checksums. */
export interface StoreSum {
  readonly records: number;
  readonly bytes: number;
  /** Checksum over all keys and values in key order. */
  readonly crc: number;
}

export interface Transfer extends StoreSum {
  /** An earlier transfer was complete: nothing was written. */
  readonly wasComplete: boolean;
}

export interface TransferParts {
  readonly address: StoreAddress;
  readonly schema: string;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly log: StorageLog;
  /** Called periodically with the bytes moved and the total. */
  readonly onProgress: (bytes: number, total: number) => void;
}

export interface IntoDatabaseParts extends TransferParts {
  /** Adds to a batch what the records of the store need to go on after it. */
  readonly goOn: (store: Pick<Store, 'get' | 'seq'>, batch: BatchWriter) => Promise<void>;
}

/**
 * Copies an unlocked data directory into a schema without a store, through a temporary copy beside the
 * directory. Throws CONFLICT if the schema holds another store, STORE_CORRUPT if the copy differs from the
 * source.
 */
export async function copyIntoDatabase(parts: IntoDatabaseParts, directory: string): Promise<Transfer> {
  const { disk, clock, log, address, schema } = parts;
  const draft = draftOf(directory);
  const connection = await Connection.open(address, NODE);
  try {
    const source = await Storage.open({ disk, directory, log, clock });
    try {
      await requireDurable(connection);
      await prepareSchema(connection, schema);
      const { seq, epoch } = await new BatchTable(schema).head(connection, 0);
      const wasComplete = seq > 0;
      const sum = await sumOf(source);
      await disk.removeDirectory(draft);
      if (!wasComplete) {
        const copy = await LocalCopy.open({ disk, directory: draft, log, clock });
        try {
          await copy.restore(source.backupStream({ withImage: false }));
          await writeBase(parts, connection, { copy, epoch });
        } finally {
          await copy.close();
        }
        await disk.removeDirectory(draft);
      }
      const written = await readInto(parts, connection, draft, ({ storage }) => sumOf(storage));
      if (wasComplete) requireNoOther(written, sum, `there is another store in the schema ${schema}`);
      requireSame(written, sum);
      return { ...sum, wasComplete };
    } finally {
      await disk.removeDirectory(draft);
      await source.close();
    }
  } finally {
    await connection.close();
  }
}

/**
 * Copies a shared store into a new or empty data directory, through a temporary copy beside it. An
 * interrupted copy does not open. Throws CONFLICT if the directory has other contents or the store is written
 * meanwhile, STORE_CORRUPT if the copy differs from the store.
 */
export async function copyIntoDirectory(parts: TransferParts, directory: string): Promise<Transfer> {
  const { disk, clock, log, address, schema, onProgress } = parts;
  const draft = draftOf(directory);
  const wasComplete = await holdsStore(disk, directory);
  if (!wasComplete) await requireEmptyDirectory(disk, directory, 'expected a new or empty directory');
  const connection = await Connection.open(address, NODE);
  try {
    await requireStore(connection, schema);
    await disk.removeDirectory(draft);
    const sum = await readInto(parts, connection, draft, async (copy, head) => {
      const read = await sumOf(copy.storage);
      await requireUnchanged(parts, connection, head);
      if (!wasComplete) await restoreStore(disk, directory, copy.backup().pieces);
      return read;
    });
    onProgress(sum.bytes, sum.bytes);
    const target = await Storage.open({ disk, directory, log, clock });
    try {
      const written = await sumOf(target);
      if (wasComplete) requireNoOther(written, sum, 'there is another store in the directory');
      requireSame(written, sum);
    } finally {
      await target.close();
    }
    return { ...sum, wasComplete };
  } finally {
    await disk.removeDirectory(draft);
    await connection.close();
  }
}

/** The temporary copy, beside the directory. The name is reserved: remains of a former copy are removed. */
function draftOf(directory: string): string {
  const path = resolve(directory);
  return join(dirname(path), `.${basename(path)}.plexus-copy`);
}

async function requireUnchanged(
  { schema }: TransferParts,
  connection: Connection,
  read: Head,
): Promise<void> {
  const { seq, epoch } = await new BatchTable(schema).head(connection, 0);
  if (seq === read.seq && epoch === read.epoch) return;
  throw new DomainError('CONFLICT', 'the store was written during the copy: stop its nodes first');
}

/** Adds one batch to the copy that identifies its source store. */
async function writeBase(
  { schema, clock, goOn, onProgress }: IntoDatabaseParts,
  connection: Connection,
  { copy, epoch }: { readonly copy: LocalCopy; readonly epoch: string },
): Promise<void> {
  const operations = new BatchBuilder();
  await goOn(copy.storage, operations);
  const body = Buffer.from(operations.encoded());
  const batch = { seq: copy.seq + 1, id: randomUUID(), atMs: clock.nowMs(), body };
  copy.add([batch], epoch);
  await copy.synced();
  const { seq, pieces } = copy.backup();
  assert(seq === batch.seq, 'expected a backup of all batches');
  const stats = copy.storage.stats();
  const total = stats.segment_bytes + stats.wal_bytes;
  const moved = counted(pieces, (bytes) => {
    onProgress(Math.min(bytes, total), total);
  });
  const bases = new BaseTable(schema);
  const base = await bases.writeParts(connection, seq, moved);
  onProgress(total, total);
  const table = new BatchTable(schema);
  const { seq: meanwhile } = await table.lockHead(connection, 0);
  if (meanwhile > 0) throw new DomainError('CONFLICT', 'another process has created a store in the schema');
  // With the batch, or not at all: a base of another history would be read as this one's.
  await bases.finish(connection, base);
  await table.append(connection, [batch], 0);
  await table.publish(connection, batch);
  await connection.query('COMMIT');
}

/** The contents of the shared store in a new directory, as a new node reads them. */
async function readInto(
  { disk, clock, log, schema }: TransferParts,
  connection: Connection,
  directory: string,
  read: (copy: LocalCopy, head: Head) => Promise<StoreSum>,
): Promise<StoreSum> {
  const table = new BatchTable(schema);
  const source = new CopySource({ table, bases: new BaseTable(schema), log });
  const copy = await LocalCopy.open({ disk, directory, log, clock });
  try {
    const head = await table.head(connection, copy.seq);
    await source.bring(connection, copy, head);
    for await (const batches of table.read(connection, copy.seq, head.seq)) copy.add(batches, head.epoch);
    await copy.synced();
    return await read(copy, head);
  } finally {
    await copy.close();
  }
}

async function* counted(
  pieces: AsyncIterable<Uint8Array>,
  onProgress: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    onProgress(bytes);
    yield piece;
  }
}

async function sumOf(store: Pick<Store, 'scan'>): Promise<StoreSum> {
  let [records, bytes, crc] = [0, 0, 0];
  for await (const chunk of store.scan(new Uint8Array(0), { includeDeleted: true })) {
    for (const { key, value, isDeleted } of chunk) {
      if (Buffer.compare(key, IDENTITY_KEY) === 0) continue;
      records++;
      bytes += key.length + value.length;
      crc = crc32c(
        Buffer.from(`${String(crc)} ${String(key.length)} ${String(isDeleted)} `),
        Buffer.concat([key, value]),
      );
    }
  }
  return { records, bytes, crc };
}

function isSame(one: StoreSum, other: StoreSum): boolean {
  return one.records === other.records && one.crc === other.crc;
}

function requireNoOther(found: StoreSum, source: StoreSum, message: string): void {
  if (!isSame(found, source)) throw new DomainError('CONFLICT', message);
}

function requireSame(read: StoreSum, written: StoreSum): void {
  if (isSame(read, written)) return;
  throw new DomainError('STORE_CORRUPT', 'what was written is not what was read', {
    details: { read: { ...read }, written: { ...written } },
  });
}
