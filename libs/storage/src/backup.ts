import { DomainError } from '#foundation';
import type { Disk, DiskFile } from '#disk';
import { join } from 'node:path';
import { fileName } from './file-names.ts';
import { TRANSFER_BYTES } from './limits.ts';
import { writeManifest, type Manifest } from './manifest/manifest.ts';

/** What a store consisted of at one moment. The files do not change up to the given lengths. */
export interface StoreView {
  readonly manifest: Manifest;
  /** `bytes` is undefined for a file that is complete. */
  readonly walFiles: readonly { readonly number: number; readonly bytes: number | undefined }[];
  /** The last batch in it. */
  readonly seq: number;
}

/** Copies the view, the manifest last: a copy that was interrupted does not open. */
export async function copyStore(disk: Disk, from: string, to: string, view: StoreView): Promise<void> {
  await disk.makeDirectory(to);
  if ((await disk.list(to)).length > 0) {
    throw new DomainError('CONFLICT', 'expected a new or empty directory for the backup');
  }
  const { manifest, walFiles } = view;
  const names = [...manifest.segments.map((segment) => segment.name), manifest.image?.name];
  for (const name of names) {
    if (name !== undefined) await copyFile(disk, join(from, name), join(to, name));
  }
  for (const { number, bytes } of walFiles) {
    const name = fileName('wal', number);
    await copyFile(disk, join(from, name), join(to, name), bytes);
  }
  await writeManifest(disk, to, manifest);
}

/** Copies the first `length` bytes, or all, and syncs the copy. */
export async function copyFile(disk: Disk, from: string, to: string, length?: number): Promise<void> {
  const source = await disk.open(from, 'read');
  try {
    const target = await disk.open(to, 'create');
    try {
      await copyBytes(source, target, length ?? (await source.size()));
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyBytes(source: DiskFile, target: DiskFile, length: number): Promise<void> {
  const buffer = new Uint8Array(Math.min(TRANSFER_BYTES, length));
  for (let at = 0; at < length;) {
    const count = await source.read(buffer.subarray(0, Math.min(buffer.length, length - at)), at);
    if (count === 0) return;
    await target.write(buffer.subarray(0, count), at);
    at += count;
  }
}
