/**
 * The user's own way out of a corrupt log: the store goes back to the last batch before the damage.
 *
 * 1. Find the first log file that is broken before its end, and the offset.
 * 2. Copy that file, and move all later ones, to `damaged-<name>`: nothing is thrown away.
 * 3. Cut the broken file at the offset (a file without a readable header is moved as a whole).
 *
 * Batches after the damage are given up even where they are intact: they may build on what is lost.
 */
import type { Disk } from '#disk';
import { join } from 'node:path';
import { copyFile } from '../backup.ts';
import { filesOfKind } from '../file-names.ts';
import { DirectoryLock } from '../lock.ts';
import { EMPTY_MANIFEST, readManifest } from '../manifest/manifest.ts';
import type { StorageLog } from '../storage.port.ts';
import { decodeWalHeader, WAL_HEADER_BYTES } from '../wal/wal-header.ts';
import { isZero, scanWal } from '../wal/wal-scan.ts';

export interface RepairReport {
  readonly file: string;
  readonly offset: number;
  /** The last batch that is left. */
  readonly lastSeq: number;
  /** Copies of what was cut off, beside the store. */
  readonly kept: readonly string[];
}

interface Damage {
  readonly file: string;
  readonly offset: number;
  readonly lastSeq: number;
  readonly isHeader: boolean;
  readonly laterFiles: readonly string[];
}

/**
 * Cuts a damaged log; undefined when it is not damaged (a torn tail is none: the next open cuts it). Takes
 * the directory's lock meanwhile. Errors: STORE_LOCKED, STORE_TOO_NEW, STORE_CORRUPT for a broken manifest.
 * Broken segments are beyond it.
 */
export async function repairStore(
  disk: Disk,
  directory: string,
  log?: StorageLog,
): Promise<RepairReport | undefined> {
  const lock = await DirectoryLock.acquire(disk, directory, log);
  try {
    const damage = await findDamage(disk, directory);
    return damage === undefined ? undefined : await cut(disk, directory, damage);
  } finally {
    await lock.release();
  }
}

async function findDamage(disk: Disk, directory: string): Promise<Damage | undefined> {
  const { first_wal, flushed_seq } = (await readManifest(disk, directory)) ?? EMPTY_MANIFEST;
  const names = filesOfKind('wal', await disk.list(directory))
    .filter((file) => file.number >= first_wal)
    .map((file) => file.name);
  let lastSeq = flushed_seq;
  for (const [i, file] of names.entries()) {
    const laterFiles = names.slice(i + 1);
    const bytes = await disk.readBytes(join(directory, file));
    const header = decodeWalHeader(bytes, file);
    if (header?.firstSeq !== lastSeq + 1) {
      const isUnborn = header === undefined && laterFiles.length === 0 && isZero(bytes, WAL_HEADER_BYTES);
      return isUnborn ? undefined : { file, offset: 0, lastSeq, isHeader: true, laterFiles };
    }
    const { verdict, end, nextSeq } = scanWal(bytes, header);
    lastSeq = nextSeq - 1;
    if (verdict === 'corrupt' || (verdict === 'torn' && laterFiles.length > 0)) {
      return { file, offset: end, lastSeq, isHeader: false, laterFiles };
    }
  }
  return undefined;
}

async function cut(disk: Disk, directory: string, damage: Damage): Promise<RepairReport> {
  const { file, offset, lastSeq, isHeader, laterFiles } = damage;
  const moved = isHeader ? [file, ...laterFiles] : laterFiles;
  if (!isHeader) {
    await copyFile(disk, join(directory, file), join(directory, keptName(file)));
    await disk.syncDirectory(directory);
  }
  for (const name of moved.toReversed()) {
    await disk.rename(join(directory, name), join(directory, keptName(name)));
    await disk.syncDirectory(directory);
  }
  if (!isHeader) await truncateFile(disk, join(directory, file), offset);
  return { file, offset, lastSeq, kept: [file, ...laterFiles].map(keptName) };
}

async function truncateFile(disk: Disk, path: string, length: number): Promise<void> {
  const opened = await disk.open(path, 'write');
  try {
    await opened.truncate(length);
    await opened.sync();
  } finally {
    await opened.close();
  }
}

function keptName(name: string): string {
  return `damaged-${name}`;
}
