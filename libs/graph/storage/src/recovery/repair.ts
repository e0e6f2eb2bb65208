/**
 * Repairs a corrupt log at the user's request: the store returns to the last batch before the damage.
 *
 * 1. Find the first log file that is damaged before its end, and the offset.
 * 2. Copy that file, and move all later ones, to `damaged-<name>`: nothing is deleted.
 * 3. Cut the damaged file at the offset (a file without a readable header is moved as a whole).
 *    A log that is shorter than a clean stop has recorded is damaged at its end.
 * 4. Before steps 2 and 3: an image with batches after the damage is removed from the manifest, and moved in
 *    the same way. So is an image with batches that an intact log no longer has. The epoch is removed from
 *    the manifest, since sequence numbers will be reused for other batches.
 *
 * Batches after the damage are discarded even if they are intact: they may depend on lost ones.
 */
import { join } from 'node:path';
import { DirectoryLock, type Disk } from '#platform/disk';
import { copyFile } from '../backup/backup.ts';
import { fileName, fileNumber, filesOfKind, KEPT_BY_REPAIR } from '../store/file-names.ts';
import { EMPTY_MANIFEST, readManifest, writeManifest, type Manifest } from '../store/manifest.ts';
import type { StorageLog } from '../store/storage.port.ts';
import { decodeWalHeader, WAL_HEADER_BYTES } from '../wal/wal-header.ts';
import { isZero, scanWal } from '../wal/wal-scan.ts';
import { lostAtStop } from './wal-recovery.ts';

export interface RepairReport {
  readonly file: string;
  readonly offset: number;
  /** The last remaining batch. */
  readonly lastSeq: number;
  /** Names of the files with the removed content, in the store's directory. */
  readonly kept: readonly string[];
}

/** The end of the intact part of the log, and what follows it. */
interface LogEnd {
  readonly file: string;
  readonly offset: number;
  readonly lastSeq: number;
  readonly fault: 'none' | 'header' | 'frame';
  readonly laterFiles: readonly string[];
}

/**
 * Cuts a damaged log; returns undefined if it is not damaged (a torn tail is no damage: the next open cuts
 * it). Holds the directory's lock meanwhile. Errors: STORE_LOCKED, STORE_TOO_NEW, STORE_CORRUPT for a damaged
 * manifest. Does not repair segments.
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
    await forgetStop(disk, directory);
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
    const isShort = lostAtStop(header.number, offset, manifest) !== undefined;
    const isBroken = isShort || verdict === 'corrupt' || (verdict === 'torn' && laterFiles.length > 0);
    end = { file, offset, lastSeq: nextSeq - 1, fault: isBroken ? 'frame' : 'none', laterFiles };
    if (isBroken) return end;
  }
  return end;
}

/**
 * Removes log files after the end, which are missing or about to be moved, from the manifest. Returns whether
 * one was missing.
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

/** Last, since the mark of a clean stop is what tells that the log is too short. */
async function forgetStop(disk: Disk, directory: string): Promise<void> {
  const manifest = await readManifest(disk, directory);
  if (manifest?.stopped !== undefined)
    await writeManifest(disk, directory, { ...manifest, stopped: undefined });
}

/** Returns the name of the moved image, if any. */
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

/** Returns the names of the copies. */
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

/** Returns the new name. */
async function moveAway(disk: Disk, directory: string, name: string): Promise<string> {
  const kept = await freeName(disk, directory, name);
  await disk.rename(join(directory, name), join(directory, kept));
  await disk.syncDirectory(directory);
  return kept;
}

/** `damaged-<name>`, with a number appended if an earlier repair has left a copy of that name. */
async function freeName(disk: Disk, directory: string, name: string): Promise<string> {
  const taken = new Set(await disk.list(directory));
  let kept = `${KEPT_BY_REPAIR}${name}`;
  for (let n = 2; taken.has(kept); n++) kept = `${KEPT_BY_REPAIR}${name}.${n}`;
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
