import { basename, join } from 'node:path';
import { type Disk, type DiskFile, isMissingFile } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { fileName, MANIFEST_FILE } from '../store/file-names.ts';
import { TRANSFER_BYTES } from '../store/limits.ts';
import { newEpoch, writeManifest, type Manifest } from '../store/manifest.ts';
import { corruptStore } from '../store/store-error.ts';

export const SHORTER = 'the file is shorter than it was';

/** The files of a store at one moment. They do not change up to the given lengths. */
export interface StoreView {
  readonly manifest: Manifest;
  /** `bytes` is undefined for a file that is complete. */
  readonly walFiles: readonly { readonly number: number; readonly bytes: number | undefined }[];
  /** The last batch in the view. */
  readonly seq: number;
}

interface StoreCopy {
  readonly disk: Disk;
  readonly from: string;
  readonly to: string;
  /** Called after each file with the number of bytes that are copied. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/** Copies the view, the manifest last: an interrupted copy does not open. The copy has a new epoch. */
export async function copyStore(
  { disk, from, to, onBytes = () => undefined }: StoreCopy,
  view: StoreView,
): Promise<void> {
  await makeEmptyDirectory(disk, to, 'expected a new or empty directory for the backup');
  const { manifest, walFiles } = view;
  let copied = 0;
  const copy = async (name: string, length?: number): Promise<void> => {
    copied += await copyFile(disk, join(from, name), join(to, name), length);
    onBytes(copied);
  };
  const names = [...manifest.segments.map((segment) => segment.name), manifest.image?.name];
  for (const name of names) {
    if (name !== undefined) await copy(name);
  }
  for (const { number, bytes } of walFiles) {
    await copy(fileName('wal', number), bytes);
  }
  await writeManifest(disk, to, { ...manifest, epoch: newEpoch() });
}

/** Whether the directory holds a complete store, damaged or not: its manifest is written last. */
export async function holdsStore(disk: Disk, directory: string): Promise<boolean> {
  try {
    return (await disk.list(directory)).includes(MANIFEST_FILE);
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    return false;
  }
}

/** Rejects with CONFLICT and `message` if the directory is not empty. */
export async function makeEmptyDirectory(disk: Disk, directory: string, message: string): Promise<void> {
  await requireEmptyDirectory(disk, directory, message);
  await disk.makeDirectory(directory);
}

/** The same without creating the directory. */
export async function requireEmptyDirectory(disk: Disk, directory: string, message: string): Promise<void> {
  try {
    const there = [...(await disk.list(directory)), ...(await disk.listDirectories(directory))];
    if (there.length > 0) throw new DomainError('CONFLICT', message);
  } catch (error) {
    if (!isMissingFile(error)) throw error;
  }
}

/** Copies and syncs the first `length` bytes, or all; returns their number. STORE_CORRUPT for fewer. */
export async function copyFile(disk: Disk, from: string, to: string, length?: number): Promise<number> {
  const source = await disk.open(from, 'read');
  try {
    const target = await disk.open(to, 'create');
    try {
      const bytes = length ?? (await source.size());
      await copyBytes(source, target, { name: basename(from), length: bytes });
      await target.sync();
      return bytes;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyBytes(
  source: DiskFile,
  target: DiskFile,
  { name, length }: { readonly name: string; readonly length: number },
): Promise<void> {
  const buffer = new Uint8Array(Math.min(TRANSFER_BYTES, length));
  for (let at = 0; at < length;) {
    const count = await source.read(buffer.subarray(0, Math.min(buffer.length, length - at)), at);
    if (count === 0) throw corruptStore(name, at, SHORTER);
    await target.write(buffer.subarray(0, count), at);
    at += count;
  }
}
