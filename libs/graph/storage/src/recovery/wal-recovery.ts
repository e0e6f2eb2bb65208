/**
 * Reads the log files at open, without changes.
 *
 * A file whose creation was interrupted by a crash has no header, and only zeros after the header's sector:
 * it is dropped. Only the last file may be in that state or have a torn tail: every earlier file was complete
 * and synced when its successor was created.
 */
import { join } from 'node:path';
import type { Disk } from '#platform/disk';
import { filesOfKind } from '../store/file-names.ts';
import type { Manifest } from '../store/manifest.ts';
import { corruptStore } from '../store/store-error.ts';
import { decodeWalHeader, WAL_HEADER_BYTES, type WalHeader } from '../wal/wal-header.ts';
import { isZero, scanWal, type WalScan } from '../wal/wal-scan.ts';

export interface RecoveredWal {
  readonly name: string;
  readonly header: WalHeader;
  readonly bytes: Uint8Array;
  readonly scan: WalScan;
}

export interface WalRecovery {
  /** The files in order; their sequence numbers have no gaps. */
  readonly files: readonly RecoveredWal[];
  /** Files to remove: obsolete ones, and those with an interrupted creation. */
  readonly leftovers: readonly string[];
  readonly lastSeq: number;
  /**
   * The number of a file with an interrupted creation is reused, since the name may reappear after a crash.
   */
  readonly lastNumber: number;
}

/** The parts of the manifest that a recovery starts from. */
export type RecoveryStart = Pick<Manifest, 'first_wal' | 'flushed_seq' | 'stopped'>;

/** Rejects with STORE_CORRUPT, with file and offset, if acknowledged data is damaged or missing. */
export async function recoverWal(
  disk: Disk,
  directory: string,
  names: readonly string[],
  start: RecoveryStart,
): Promise<WalRecovery> {
  const found = filesOfKind('wal', names);
  const leftovers = found.filter((file) => file.number < start.first_wal).map((file) => file.name);
  const live = found.filter((file) => file.number >= start.first_wal);
  const files: RecoveredWal[] = [];
  let nextSeq = start.flushed_seq + 1;
  for (const [i, { name, number }] of live.entries()) {
    const isLast = i === live.length - 1;
    const bytes = await disk.readBytes(join(directory, name));
    const header = decodeWalHeader(bytes, name);
    if (header === undefined) {
      if (!isLast || !isZero(bytes, WAL_HEADER_BYTES)) throw corruptStore(name, 0, 'broken log header');
      leftovers.push(name);
      continue;
    }
    if (header.number !== number) throw corruptStore(name, 16, 'wrong number of the log file');
    if (header.firstSeq !== nextSeq) {
      throw corruptStore(
        name,
        24,
        `batches ${nextSeq} to ${header.firstSeq - 1} are missing before the first frame`,
      );
    }
    const file = { name, header, bytes, scan: scanWal(bytes, header) };
    refuseDamaged(file, isLast, start);
    files.push(file);
    nextSeq = file.scan.nextSeq;
  }
  const lastNumber = files.at(-1)?.header.number ?? start.first_wal - 1;
  return { files, leftovers, lastSeq: nextSeq - 1, lastNumber };
}

function refuseDamaged({ name, header, scan }: RecoveredWal, isLast: boolean, start: RecoveryStart): void {
  const { end, verdict } = scan;
  if (verdict === 'corrupt' || (verdict === 'torn' && !isLast))
    throw corruptStore(name, end, 'broken frame before intact ones');
  const lost = lostAtStop(header.number, end, start);
  if (lost !== undefined) throw corruptStore(name, end, lost);
}

/** Describes the loss of frames that a clean stop had recorded; undefined if there is none. */
export function lostAtStop(
  wal: number,
  end: number,
  { stopped }: Pick<Manifest, 'stopped'>,
): string | undefined {
  if (stopped?.wal !== wal || end >= stopped.bytes) return undefined;
  return `the frames up to offset ${stopped.bytes}, recorded by a clean stop, are missing`;
}
