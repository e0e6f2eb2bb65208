/**
 * The log as it stands on disk, for people: reads only, and works beside the process that holds the store.
 */
import { join } from 'node:path';
import { isMissingFile, type Disk } from '#platform/disk';
import { getU32 } from '../encoding/integers.ts';
import { filesOfKind } from '../store/file-names.ts';
import { batchesOf, type Frame } from '../wal/frame.ts';
import { PUT_SHARED, PUT_SHARED_HEADER_BYTES, visitOperation } from '../wal/operation.ts';
import { decodeWalHeader, WAL_HEADER_BYTES } from '../wal/wal-header.ts';
import { isZero, scanWal } from '../wal/wal-scan.ts';

export type LogOperation =
  | { readonly kind: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly kind: 'putShared'; readonly keys: readonly Uint8Array[]; readonly value: Uint8Array }
  | {
      readonly kind: 'delete';
      readonly key: Uint8Array;
      readonly value: Uint8Array;
      readonly purgeAtMs: number;
    };

export interface LogBatch {
  readonly kind: 'batch';
  readonly file: string;
  /** Where its operations begin. */
  readonly offset: number;
  /** Length of its operations. */
  readonly bytes: number;
  readonly seq: number;
  /** The frame, that is the group commit, that holds it. */
  readonly frame: { readonly offset: number; readonly bytes: number; readonly batches: number };
  readonly operationCount: number;
  /** Decodes them; each call anew. */
  operations(): Generator<LogOperation>;
}

/** The log ends here (torn: the last frame was being written) or is damaged here (corrupt). */
export interface LogFault {
  readonly kind: 'torn' | 'corrupt';
  readonly file: string;
  readonly offset: number;
  readonly message: string;
}

export type LogEntry = LogBatch | LogFault;

/**
 * The batches that are not in segments yet, in order, and what is wrong between them. Beside a running
 * server the frame that it is writing may show as torn; files that it removes meanwhile are passed over.
 */
export async function* readLog(disk: Disk, directory: string): AsyncGenerator<LogEntry> {
  for (const { name } of filesOfKind('wal', await disk.list(directory))) {
    const bytes = await readIfThere(disk, join(directory, name));
    if (bytes !== undefined) yield* entriesOf(name, bytes);
  }
}

function* entriesOf(file: string, bytes: Uint8Array): Generator<LogEntry> {
  const header = decodeWalHeader(bytes, file);
  if (header === undefined) {
    const kind = isZero(bytes, WAL_HEADER_BYTES) ? 'torn' : 'corrupt';
    yield { kind, file, offset: 0, message: 'the header of the log file is broken' };
    return;
  }
  const { frames, end, verdict } = scanWal(bytes, header);
  for (const frame of frames) yield* batches(file, bytes, frame);
  if (verdict === 'torn') {
    yield { kind: 'torn', file, offset: end, message: 'the last frame is incomplete' };
  } else if (verdict === 'corrupt') {
    yield { kind: 'corrupt', file, offset: end, message: 'a frame is broken, and intact ones follow' };
  }
}

function* batches(file: string, bytes: Uint8Array, frame: Frame): Generator<LogBatch> {
  for (const batch of batchesOf(bytes, frame)) {
    yield {
      kind: 'batch',
      file,
      offset: batch.start,
      bytes: batch.end - batch.start,
      seq: batch.seq,
      frame: { offset: frame.offset, bytes: frame.bytes, batches: frame.batches },
      operationCount: batch.operations,
      operations: () => decodeOperations(bytes, batch.start, batch.end),
    };
  }
}

/** The operations in `bytes[start, end)`. */
export function* decodeOperations(bytes: Uint8Array, start: number, end: number): Generator<LogOperation> {
  for (let at = start; at < end;) {
    const records: LogOperation[] = [];
    const next = visitOperation(bytes, at, (span) => {
      const key = bytes.subarray(span.keyStart, span.keyEnd);
      const value = bytes.subarray(span.valueStart, span.valueEnd);
      if (span.isDeleted) records.push({ kind: 'delete', key, value, purgeAtMs: span.purgeAtMs });
      else records.push({ kind: 'put', key, value });
    });
    if (bytes[at] === PUT_SHARED) yield shared(bytes, at, records);
    else yield* records;
    at = next;
  }
}

function shared(bytes: Uint8Array, at: number, records: readonly LogOperation[]): LogOperation {
  const valueStart = at + PUT_SHARED_HEADER_BYTES;
  const value = bytes.subarray(valueStart, valueStart + getU32(bytes, at + 5));
  const keys = records.flatMap((record) => (record.kind === 'putShared' ? [] : [record.key]));
  return { kind: 'putShared', keys, value };
}

async function readIfThere(disk: Disk, path: string): Promise<Uint8Array | undefined> {
  try {
    return await disk.readBytes(path);
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}
