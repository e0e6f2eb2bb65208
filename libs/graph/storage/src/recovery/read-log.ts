/**
 * Reads the log on disk for display. Read-only; works while another process holds the store.
 */
import { join } from 'node:path';
import { isMissingFile, type Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { filesOfKind } from '../store/file-names.ts';
import { EMPTY_MANIFEST, type Manifest, readManifest } from '../store/manifest.ts';
import type { LogOperation } from '../store/storage.port.ts';
import { batchesOf, type Frame } from '../wal/frame.ts';
import { decodeOperations } from '../wal/operation.ts';
import { decodeWalHeader, WAL_HEADER_BYTES } from '../wal/wal-header.ts';
import { isZero, scanWal } from '../wal/wal-scan.ts';
import { lostAtStop } from './wal-recovery.ts';

export interface LogBatch {
  readonly kind: 'batch';
  readonly file: string;
  /** Start of its operations. */
  readonly offset: number;
  /** Length of its operations. */
  readonly bytes: number;
  readonly seq: number;
  /** The frame (one group commit) that holds the batch. */
  readonly frame: { readonly offset: number; readonly bytes: number; readonly batches: number };
  readonly operationCount: number;
  /** Decodes the operations on each call. */
  operations(): Generator<LogOperation>;
}

/** Where the log ends (torn: the last frame was being written) or is damaged (corrupt). */
export interface LogFault {
  readonly kind: 'torn' | 'corrupt';
  readonly file: string;
  readonly offset: number;
  readonly message: string;
}

export type LogEntry = LogBatch | LogFault;

/**
 * The batches that are not in segments yet, in order, and the faults between them. Beside a running server,
 * the frame being written may appear as torn; files that the server removes meanwhile are skipped.
 */
export async function* readLog(disk: Disk, directory: string): AsyncGenerator<LogEntry> {
  const manifest = await manifestIfWhole(disk, directory);
  for (const { name, number } of filesOfKind('wal', await disk.list(directory))) {
    const bytes = await readIfThere(disk, join(directory, name));
    if (bytes !== undefined) yield* entriesOf(name, bytes, (end) => lostAtStop(number, end, manifest));
  }
}

/** A damaged manifest does not prevent the display of the log. */
async function manifestIfWhole(disk: Disk, directory: string): Promise<Manifest> {
  try {
    return (await readManifest(disk, directory)) ?? EMPTY_MANIFEST;
  } catch (error) {
    if (error instanceof DomainError) return EMPTY_MANIFEST;
    throw error;
  }
}

function* entriesOf(
  file: string,
  bytes: Uint8Array,
  lostAfter: (end: number) => string | undefined,
): Generator<LogEntry> {
  const header = decodeWalHeader(bytes, file);
  if (header === undefined) {
    const kind = isZero(bytes, WAL_HEADER_BYTES) ? 'torn' : 'corrupt';
    yield { kind, file, offset: 0, message: 'the header of the log file is broken' };
    return;
  }
  const { frames, end, verdict } = scanWal(bytes, header);
  for (const frame of frames) yield* batches(file, bytes, frame);
  const lost = lostAfter(end);
  if (lost !== undefined && verdict !== 'corrupt') {
    yield { kind: 'corrupt', file, offset: end, message: lost };
  } else if (verdict === 'torn') {
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

async function readIfThere(disk: Disk, path: string): Promise<Uint8Array | undefined> {
  try {
    return await disk.readBytes(path);
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}
