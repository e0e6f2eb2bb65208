/**
 * Opens a store, in these steps:
 *
 * 1. Read the manifest: a newer format is rejected before any file is changed.
 * 2. Take the lock, and read the manifest again; a new store writes its first one.
 * 3. Read every segment's footer and every frame of the log. Damage rejects the open here, before any change.
 * 4. Cut the torn tail, and remove files that are not in the manifest.
 * 5. Continue in the last log file, or create one.
 */
import { join } from 'node:path';
import type { DataDirectory, Disk } from '#platform/disk';
import { closedOnFailure, LogFiles } from '../commit/log-files.ts';
import { LogGeneration, LogGenerations } from '../commit/log-generations.ts';
import { SegmentReader } from '../segment/segment-reader.ts';
import { SegmentSet } from '../segment/segment-set.ts';
import { fileName, filesOfKind, MANIFEST_DRAFT, MANIFEST_FILE, WAL_SPARE } from '../store/file-names.ts';
import {
  EMPTY_MANIFEST,
  type Manifest,
  newEpoch,
  readManifest,
  renewManifest,
  writeManifest,
} from '../store/manifest.ts';
import type { CutTail } from '../store/storage.port.ts';
import { corruptStore } from '../store/store-error.ts';
import { StoreFiles, type StorePlace } from '../store/store-files.ts';
import { batchesOf } from '../wal/frame.ts';
import { createWal, WalWriter } from '../wal/wal-writer.ts';
import { recoverWal, type RecoveredWal, type WalRecovery } from './wal-recovery.ts';

export interface OpenedStore {
  readonly files: StoreFiles;
  readonly segments: SegmentSet;
  /** The frozen generations, one log file each, are complete and still have to be flushed. */
  readonly generations: LogGenerations;
  readonly log: LogFiles;
  readonly seq: number;
  readonly cutTail: CutTail | undefined;
}

/** Steps 2 to 5, with the lock held. */
export async function openStore(
  place: StorePlace,
  claim: DataDirectory,
  walFileBytes: number,
): Promise<OpenedStore> {
  const { disk, directory, log } = place;
  const manifest = await manifestOf(disk, directory);
  const files = new StoreFiles(place, manifest, claim);
  const names = await disk.list(directory);
  const readers = await openSegments(disk, directory, manifest);
  try {
    const recovery = await recoverWal(disk, directory, names, manifest);
    refuseMissingLog(recovery, manifest);
    refuseShortLog(recovery, manifest);
    await files.remove([...leftovers(names, manifest), ...recovery.leftovers]);
    const frozen = recovery.files.slice(0, -1).map((file) => generationOf(file, true));
    const generations = new LogGenerations(frozen, generationOf(recovery.files.at(-1), false));
    const cutTail = cutTailOf(recovery);
    const writer = await resume(files, walFileBytes, recovery, generations.active);
    const { number } = writer.header;
    const isOlder = manifest.epoch === undefined;
    if (isOlder || manifest.last_wal !== number)
      await closedOnFailure(writer, () => files.manifest.noteLog(number));
    const opened = { segments: readers.length, wal_files: recovery.files.length, seq: recovery.lastSeq };
    log?.info({ event: 'storage.opened', ...opened }, 'store opened');
    return {
      files,
      segments: new SegmentSet(readers, log),
      generations,
      log: new LogFiles(files, walFileBytes, writer),
      seq: recovery.lastSeq,
      cutTail,
    };
  } catch (error) {
    for (const reader of readers) await reader.release();
    throw error;
  }
}

/** The newest log file must exist, unless it has been flushed and removed. */
function refuseMissingLog({ lastNumber }: WalRecovery, { first_wal, last_wal = 0 }: Manifest): void {
  if (last_wal < first_wal || last_wal <= lastNumber) return;
  throw corruptStore(fileName('wal', last_wal), 0, 'missing log file');
}

/** An image contains durable batches only: a log that ends before the image has lost batches. */
function refuseShortLog({ files, lastSeq, lastNumber }: WalRecovery, { image }: Manifest): void {
  if (image === null || image.seq <= lastSeq) return;
  const last = files.at(-1);
  const name = last?.name ?? fileName('wal', lastNumber + 1);
  throw corruptStore(name, last?.scan.end ?? 0, `batches ${lastSeq + 1} to ${image.seq} are missing`);
}

const KINDS = ['wal', 'segment', 'image'] as const;

/** The manifest is the first file of a new store, and the last one of a restore or a backup. */
async function manifestOf(disk: Disk, directory: string): Promise<Manifest> {
  const found = await readManifest(disk, directory);
  if (found !== undefined) {
    await renewManifest(disk, directory, found);
    return found;
  }
  const names = await disk.list(directory);
  if (KINDS.some((kind) => filesOfKind(kind, names).length > 0)) {
    throw corruptStore(MANIFEST_FILE, 0, 'missing manifest');
  }
  const manifest = { ...EMPTY_MANIFEST, epoch: newEpoch() };
  await writeManifest(disk, directory, manifest);
  return manifest;
}

async function openSegments(disk: Disk, directory: string, manifest: Manifest): Promise<SegmentReader[]> {
  const readers: SegmentReader[] = [];
  const present = new Set(await disk.list(directory));
  try {
    for (const { name } of manifest.segments) {
      if (!present.has(name)) throw corruptStore(name, 0, 'missing segment');
      readers.push(await SegmentReader.open(disk, directory, name));
    }
    return readers;
  } catch (error) {
    for (const reader of readers) await reader.release();
    throw error;
  }
}

/** Store files left by an interrupted flush, merge, save or rotation. */
function leftovers(names: readonly string[], manifest: Manifest): string[] {
  const named = new Set([...manifest.segments.map((segment) => segment.name), manifest.image?.name]);
  const ours = [...filesOfKind('segment', names), ...filesOfKind('image', names)].map((file) => file.name);
  const drafts = names.filter((name) => name === MANIFEST_DRAFT || name === WAL_SPARE);
  return [...ours.filter((name) => !named.has(name)), ...drafts];
}

/** Each file becomes a generation: the complete ones are flushed, and the last one continues. */
function generationOf(file: RecoveredWal | undefined, isComplete: boolean): LogGeneration {
  const generation = new LogGeneration();
  generation.isComplete = isComplete;
  if (file === undefined) return generation;
  const { bytes, scan, header } = file;
  for (const frame of scan.frames) {
    for (const batch of batchesOf(bytes, frame)) {
      generation.memtable.add(bytes, batch.start, batch.end, batch.seq);
    }
  }
  generation.walNumbers.push(header.number);
  generation.walBytes += scan.end;
  return generation;
}

function cutTailOf({ files, lastSeq }: WalRecovery): CutTail | undefined {
  const last = files.at(-1);
  if (last?.scan.verdict !== 'torn') return undefined;
  const { end } = last.scan;
  const cut = last.bytes.findLastIndex((byte) => byte !== 0) + 1 - end;
  return { file: last.name, offset: end, cut_bytes: cut, last_seq: lastSeq };
}

/**
 * Syncs the log before anything depends on it: frames of a killed process may be only in the page cache.
 */
async function resume(
  { disk, directory, log }: StoreFiles,
  walFileBytes: number,
  recovery: WalRecovery,
  generation: LogGeneration,
): Promise<WalWriter> {
  const last = recovery.files.at(-1);
  if (last === undefined) {
    const next = { number: recovery.lastNumber + 1, firstSeq: recovery.lastSeq + 1 };
    generation.walNumbers.push(next.number);
    return createWal({ disk, directory, walFileBytes }, next);
  }
  const file = await disk.open(join(directory, last.name), 'write', { isDurable: true });
  try {
    const { end } = last.scan;
    const cutTail = cutTailOf(recovery);
    if (cutTail !== undefined) {
      log?.warn({ event: 'storage.torn_tail', ...cutTail }, 'torn tail of the log cut');
      await file.truncate(end);
    }
    await file.sync();
    await disk.syncDirectory(directory);
    const allocated = cutTail === undefined ? last.bytes.length : end;
    return new WalWriter(file, last.header, { end, allocated }, walFileBytes);
  } catch (error) {
    await file.close();
    throw error;
  }
}
