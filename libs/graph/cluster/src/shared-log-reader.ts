/** Reads the shared log for inspection: changes nothing, works beside running nodes. */
import type { LogBatch, LogOperation } from '#graph/storage';
import { DomainError } from '#platform/foundation';
import { BatchTable } from './batch-table.ts';
import type { SharedBatch } from './shared-batch.ts';
import { Connection } from './connection.ts';
import { BODY_HEADER_BYTES, foreignBatch } from './local-copy.ts';
import { requireStore } from './schema.ts';
import { reasonOf, unavailable } from './sql-error.ts';
import type { StoreAddress } from './store-address.ts';

const NODE = 'plexus wal dump';
const OPERATIONS_AT = 4;

export interface SharedLogBatch extends Pick<LogBatch, 'kind' | 'seq' | 'bytes' | 'operationCount'> {
  operations(): Iterable<LogOperation>;
}

/** A missing or damaged batch; intact ones may follow. */
export interface SharedLogFault {
  readonly kind: 'corrupt';
  readonly message: string;
}

/**
 * The batches that no base has replaced, in order. Throws NOT_FOUND if the schema holds no store,
 * STORE_TOO_NEW, or STORE_UNAVAILABLE.
 */
export async function* readSharedLog(
  address: StoreAddress,
  schema: string,
): AsyncGenerator<SharedLogBatch | SharedLogFault> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.open(address, NODE);
    await requireStore(connection, schema);
    yield* entriesOf(new BatchTable(schema), connection);
  } catch (error) {
    throw error instanceof DomainError ? error : unavailable(reasonOf(error), error);
  } finally {
    await connection?.close();
  }
}

async function* entriesOf(
  table: BatchTable,
  connection: Connection,
): AsyncGenerator<SharedLogBatch | SharedLogFault> {
  const { seq: upTo } = await table.head(connection, 0);
  let last = ((await table.oldest(connection)) ?? upTo + 1) - 1;
  let portion = upTo;
  while (last < upTo) {
    try {
      for await (const batches of table.read(connection, last, Math.min(upTo, last + portion)))
        for (const batch of batches) {
          yield entryOf(batch);
          last = batch.seq;
        }
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'STORE_CORRUPT') throw error;
      const oldest = (await table.oldest(connection)) ?? upTo + 1;
      // The batch was trimmed meanwhile; or it is one of a page, and the earlier ones are read one by one.
      if (oldest > last + 1) last = oldest - 1;
      else if (portion > 1) portion = 1;
      else {
        last++;
        yield { kind: 'corrupt', message: error.message };
      }
    }
  }
}

function entryOf(batch: SharedBatch): SharedLogBatch {
  return {
    kind: 'batch',
    seq: batch.seq,
    bytes: batch.body.length - BODY_HEADER_BYTES,
    operationCount: batch.body.readUInt32LE(OPERATIONS_AT),
    operations: () => foreignBatch(batch).operations(),
  };
}
