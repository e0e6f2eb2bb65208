/**
 * The user's own way out of a corrupt log: the store goes back to the last batch before the damage.
 *
 * 1. Find the first log file that is broken before its end, and the offset.
 * 2. Copy that file, and move all later ones, to `damaged-<name>`: nothing is thrown away.
 * 3. Cut the broken file at the offset (a file without a readable header is moved as a whole).
 * 4. Before all that: an image of batches after the damage is taken out of the manifest, and moved likewise.
 *    So is one of batches that the log, though nowhere broken, no longer has. The manifest forgets its epoch:
 *    numbers that were given are given again, to other batches.
 *
 * Batches after the damage are given up even where they are intact: they may build on what is lost.
 */
import { join } from 'node:path';
import { DirectoryLock, type Disk } from '#platform/disk';
import { copyFile } from '../backup/backup.ts';
import { fileName, fileNumber, filesOfKind } from '../store/file-names.ts';
import { EMPTY_MANIFEST, readManifest, writeManifest, type Manifest } from '../store/manifest.ts';
import type { StorageLog } from '../store/storage.port.ts';
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

/** Where the intact part of the log ends, and what comes after. */
interface LogEnd {
  readonly file: string;
  readonly offset: number;
  readonly lastSeq: number;
  readonly fault: 'none' | 'header' | 'frame';
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
    const manifest = (await readManifest(disk, directory)) ?? EMPTY_MANIFEST;
    const end = await findEnd(disk, directory, manifest);
    const keptImages = await giveUpLaterImage(disk, directory, manifest, end.lastSeq);
    const isShort = await acceptEnd(disk, directory, end);
    if (end.fault !== 'none') await forgetEpoch(disk, directory);
    const keptFiles = end.fault === 'none' ? [] : await cut(disk, directory, end);
    const kept = [...keptFiles, ...keptImages];
    if (kept.length === 0 && !isShort) return undefined;
    return { file: end.file, offset: end.offset, lastSeq: end.lastSeq, kept };
  } finally {
    await lock.release();
  }
}

async function findEnd(disk: Disk, directory: string, manifest: Manifest): Promise<LogEnd> {
  const names = filesOfKind('wal', await disk.list(directory))
    .filter((file) => file.number >= manifest.first_wal)
    .map((file) => file.name);
  let end: LogEnd = {
    file: fileName('wal', manifest.first_wal),
    offset: 0,
    lastSeq: manifest.flushed_seq,
    fault: 'none',
    laterFiles: [],
  };
  for (const [i, file] of names.entries()) {
    const laterFiles = names.slice(i + 1);
    const bytes = await disk.readBytes(join(directory, file));
    const header = decodeWalHeader(bytes, file);
    if (header?.firstSeq !== end.lastSeq + 1) {
      const isUnborn = header === undefined && laterFiles.length === 0 && isZero(bytes, WAL_HEADER_BYTES);
      return isUnborn ? end : { ...end, file, offset: 0, fault: 'header', laterFiles };
    }
    const { verdict, end: offset, nextSeq } = scanWal(bytes, header);
    const isBroken = verdict === 'corrupt' || (verdict === 'torn' && laterFiles.length > 0);
    end = { file, offset, lastSeq: nextSeq - 1, fault: isBroken ? 'frame' : 'none', laterFiles };
    if (isBroken) return end;
  }
  return end;
}

/**
 * Takes log files that are missing after the end, or will be, out of the manifest. Gives whether one was
 * missing.
 */
async function acceptEnd(disk: Disk, directory: string, { file, fault }: LogEnd): Promise<boolean> {
  const manifest = await readManifest(disk, directory);
  if (manifest?.last_wal === undefined) return false;
  const broken = fault === 'header' ? (fileNumber('wal', file) ?? 0) : Infinity;
  const end = fault === 'frame' ? (fileNumber('wal', file) ?? 0) : Infinity;
  const staying = filesOfKind('wal', await disk.list(directory))
    .map(({ number }) => number)
    .filter((number) => number <= end && number < broken);
  const last = Math.max(manifest.first_wal - 1, ...staying);
  if (manifest.last_wal <= last) return false;
  await writeManifest(disk, directory, { ...manifest, last_wal: last, epoch: undefined });
  return fault === 'none';
}

async function forgetEpoch(disk: Disk, directory: string): Promise<void> {
  const manifest = await readManifest(disk, directory);
  if (manifest?.epoch !== undefined) await writeManifest(disk, directory, { ...manifest, epoch: undefined });
}

/** Gives the name of the copy. */
async function giveUpLaterImage(
  disk: Disk,
  directory: string,
  manifest: Manifest,
  lastSeq: number,
): Promise<string[]> {
  const { image } = manifest;
  if (image === null || image.seq <= lastSeq) return [];
  await writeManifest(disk, directory, { ...manifest, image: null, epoch: undefined });
  const isThere = (await disk.list(directory)).includes(image.name);
  return isThere ? [await moveAway(disk, directory, image.name)] : [];
}

/** Gives the names of the copies. */
async function cut(disk: Disk, directory: string, end: LogEnd): Promise<string[]> {
  const { file, offset, fault, laterFiles } = end;
  const kept: string[] = [];
  if (fault === 'frame') {
    kept.push(await freeName(disk, directory, file));
    await copyFile(disk, join(directory, file), join(directory, ...kept));
    await disk.syncDirectory(directory);
  }
  const moved = fault === 'header' ? [file, ...laterFiles] : laterFiles;
  for (const name of moved.toReversed()) kept.push(await moveAway(disk, directory, name));
  if (fault === 'frame') await truncateFile(disk, join(directory, file), offset);
  return kept.sort();
}

/** Gives the new name. */
async function moveAway(disk: Disk, directory: string, name: string): Promise<string> {
  const kept = await freeName(disk, directory, name);
  await disk.rename(join(directory, name), join(directory, kept));
  await disk.syncDirectory(directory);
  return kept;
}

/** `damaged-<name>`, or with a number after it: an earlier repair may have left such a copy. */
async function freeName(disk: Disk, directory: string, name: string): Promise<string> {
  const taken = new Set(await disk.list(directory));
  let kept = `damaged-${name}`;
  for (let n = 2; taken.has(kept); n++) kept = `damaged-${name}.${n}`;
  return kept;
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
