/** Converts a store to one stream of bytes, and back. */
import { join } from 'node:path';
import { DirectoryLock, type Disk, type DiskFile } from '#platform/disk';
import { fileName, fileNumber, MANIFEST_FILE } from '../store/file-names.ts';
import { decodeManifest, encodeManifest, type Manifest, newEpoch, writeManifest } from '../store/manifest.ts';
import { corruptStore } from '../store/store-error.ts';
import {
  BACKUP_FRAME_BYTES,
  BackupParser,
  type BackupItem,
  type BackupSummary,
  encodeBackupHeader,
  encodeBackupItem,
} from './backup-format.ts';
import { makeEmptyDirectory, SHORTER, type StoreView } from './backup.ts';

/** The files of the view do not change meanwhile; memory is one frame, independent of the reader's speed. */
export async function* streamStore(
  disk: Disk,
  directory: string,
  { manifest, walFiles, seq }: StoreView,
): AsyncGenerator<Uint8Array> {
  yield encodeBackupHeader();
  const named = [...manifest.segments.map((segment) => segment.name), manifest.image?.name];
  const files = [
    ...named.filter((name) => name !== undefined).map((name) => ({ name, bytes: undefined })),
    ...walFiles.map(({ number, bytes }) => ({ name: fileName('wal', number), bytes })),
  ];
  let total = 0;
  for (const { name, bytes } of files) {
    const file = await disk.open(join(directory, name), 'read');
    try {
      const length = bytes ?? (await file.size());
      yield encodeBackupItem({ kind: 'file', name, bytes: length });
      for await (const data of dataOf(file, name, length))
        yield encodeBackupItem({ kind: 'data', bytes: data });
      total += length;
    } finally {
      await file.close();
    }
  }
  const manifestBytes = encodeManifest(manifest);
  yield encodeBackupItem({ kind: 'file', name: MANIFEST_FILE, bytes: manifestBytes.length });
  yield encodeBackupItem({ kind: 'data', bytes: manifestBytes });
  yield encodeBackupItem({ kind: 'end', files: files.length + 1, bytes: total + manifestBytes.length, seq });
}

async function* dataOf(file: DiskFile, name: string, length: number): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(Math.min(BACKUP_FRAME_BYTES, length));
  for (let at = 0; at < length;) {
    const count = await file.read(buffer.subarray(0, Math.min(buffer.length, length - at)), at);
    if (count === 0) throw corruptStore(name, at, SHORTER);
    yield buffer.subarray(0, count);
    at += count;
  }
}

/**
 * Checks a backup while passing it through. Throws STORE_CORRUPT if it is damaged or truncated; the caller
 * must then discard the pieces it has kept.
 */
export async function* checkedBackup(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const parser = new BackupParser();
  for await (const piece of pieces) {
    for (const item of parser.push(piece)) checkName(item);
    yield piece;
  }
  parser.finish();
}

/**
 * Creates a store from a backup in a new or empty directory (else CONFLICT). The manifest is written last,
 * when everything else is on disk: an interrupted restore does not open. A damaged or truncated backup leaves
 * no files behind.
 */
export async function restoreStore(
  disk: Disk,
  directory: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<BackupSummary> {
  await makeEmptyDirectory(disk, directory, 'expected a new or empty directory to restore into');
  const lock = await DirectoryLock.acquire(disk, directory, undefined);
  const restoration = new Restoration(disk, directory);
  try {
    const parser = new BackupParser();
    for await (const piece of pieces) for (const item of parser.push(piece)) await restoration.add(item);
    parser.finish();
    return await restoration.finish();
  } catch (error) {
    await restoration.undo();
    throw error;
  } finally {
    await lock.release();
  }
}

class Restoration {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #written: string[] = [];
  readonly #manifest: Uint8Array[] = [];
  #file: { readonly name: string; readonly bytes: number; readonly target: DiskFile | undefined } | undefined;
  #at = 0;
  #bytes = 0;
  #end: BackupSummary | undefined;

  constructor(disk: Disk, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
  }

  async add(item: BackupItem): Promise<void> {
    checkName(item);
    if (item.kind === 'file') {
      await this.#endFile();
      const isManifest = item.name === MANIFEST_FILE;
      const path = join(this.#directory, item.name);
      const target = isManifest ? undefined : await this.#disk.open(path, 'create');
      this.#file = { name: item.name, bytes: item.bytes, target };
      if (!isManifest) this.#written.push(item.name);
    } else if (item.kind === 'data') await this.#write(item.bytes);
    else {
      await this.#endFile();
      this.#end = item;
    }
  }

  async finish(): Promise<BackupSummary> {
    const end = this.#end;
    const manifest = decodeManifest(Buffer.concat(this.#manifest));
    const files = this.#written.length + 1;
    if (end?.files !== files || end.bytes !== this.#bytes) {
      throw corruptStore('the backup', 0, 'its files are not those that its end names');
    }
    this.#requireNamed(manifest);
    await writeManifest(this.#disk, this.#directory, { ...manifest, epoch: newEpoch() });
    return { files, bytes: end.bytes, seq: end.seq };
  }

  async undo(): Promise<void> {
    await this.#file?.target?.close();
    for (const name of this.#written) await this.#disk.remove(join(this.#directory, name));
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#file === undefined) throw corruptStore('the backup', 0, 'bytes before the first file');
    if (this.#file.target === undefined) this.#manifest.push(bytes.slice());
    else await this.#file.target.write(bytes, this.#at);
    this.#at += bytes.length;
    this.#bytes += bytes.length;
  }

  async #endFile(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    if (this.#at !== file.bytes)
      throw corruptStore(file.name, this.#at, 'it is shorter or longer than named');
    await file.target?.sync();
    this.#file = undefined;
    this.#at = 0;
    await file.target?.close();
  }

  #requireNamed({ segments, image }: Manifest): void {
    const there = new Set(this.#written);
    const missing = [...segments.map(({ name }) => name), image?.name].find(
      (name) => name !== undefined && !there.has(name),
    );
    if (missing !== undefined) throw corruptStore(missing, 0, 'missing in the backup');
  }
}

/** Accepts only names of store files from a stream. */
function checkName(item: BackupItem): void {
  if (item.kind !== 'file' || item.name === MANIFEST_FILE) return;
  const isOurs = (['wal', 'segment', 'image'] as const).some(
    (kind) => fileNumber(kind, item.name) !== undefined,
  );
  if (!isOurs) throw corruptStore('the backup', 0, 'a file that is none of a store');
}
