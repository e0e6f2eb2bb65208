import { join } from 'node:path';
import type { DataDirectory, Disk } from '#platform/disk';
import { fileName, filesOfKind, KEPT_BY_REPAIR, MANIFEST_FILE } from './file-names.ts';
import { type Manifest, ManifestFile } from './manifest.ts';
import type { StorageLog } from './storage.port.ts';
import { reasonOf } from './store-error.ts';

/** The location of a store, and its log. */
export interface StorePlace {
  readonly disk: Disk;
  readonly directory: string;
  readonly log?: StorageLog | undefined;
}

/**
 * The files of an open store, in a directory locked by this process. The manifest lists them; a file no
 * longer listed is removed once no copy of the directory is running.
 */
export class StoreFiles {
  readonly disk: Disk;
  readonly directory: string;
  readonly log: StorageLog | undefined;
  readonly manifest: ManifestFile;
  readonly #claim: DataDirectory;
  #pins = 0;
  #waiting: string[] = [];

  constructor({ disk, directory, log }: StorePlace, manifest: Manifest, claim: DataDirectory) {
    this.disk = disk;
    this.directory = directory;
    this.log = log;
    this.manifest = new ManifestFile(disk, directory, manifest);
    this.#claim = claim;
  }

  /** Returns a file name that was never used. */
  newName(kind: 'segment' | 'image'): string {
    return fileName(kind, this.manifest.takeNumber());
  }

  pathOf(name: string): string {
    return join(this.directory, name);
  }

  /** Reads `bytes` bytes at `offset`, fewer at the end of the file. */
  async read(name: string, offset: number, bytes: number): Promise<Uint8Array> {
    const file = await this.disk.open(this.pathOf(name), 'read');
    try {
      const into = new Uint8Array(bytes);
      return into.subarray(0, await file.read(into, offset));
    } finally {
      await file.close();
    }
  }

  /** Removes files; one that cannot be removed only occupies space until the next open. */
  async remove(names: readonly string[]): Promise<void> {
    if (this.#pins > 0) {
      this.#waiting.push(...names);
      return;
    }
    for (const name of names) {
      try {
        await this.disk.remove(this.pathOf(name));
      } catch (error) {
        const fields = { event: 'storage.not_removed', file: name, reason: reasonOf(error) };
        this.log?.warn(fields, 'removal of an obsolete file failed');
      }
    }
  }

  /** Files that are no part of the store, but may hold former records. */
  async formerFiles(): Promise<readonly string[]> {
    const { segments, image, first_wal: first } = this.manifest.current;
    const named = new Set([...segments.map(({ name }) => name), image?.name]);
    const names = await this.disk.list(this.directory);
    const stale = [...filesOfKind('segment', names), ...filesOfKind('image', names)]
      .map(({ name }) => name)
      .filter((name) => !named.has(name));
    const logs = filesOfKind('wal', names).filter(({ number }) => number < first);
    const kept = names.filter((name) => name.startsWith(KEPT_BY_REPAIR));
    return [...stale, ...logs.map(({ name }) => name), ...kept].sort();
  }

  /** Prevents removals until the returned function is called, which must happen once. */
  pin(): () => Promise<void> {
    this.#pins++;
    return async () => {
      this.#pins--;
      if (this.#pins === 0) await this.remove(this.#waiting.splice(0));
    };
  }

  /** Prevents removals while `work` runs. */
  async whilePinned<T>(work: () => Promise<T>): Promise<T> {
    const unpin = this.pin();
    try {
      return await work();
    } finally {
      await unpin();
    }
  }

  /** Releases the directory. */
  release(): Promise<void> {
    return this.#claim.release();
  }

  /** Removes the files of a store without content whose start has failed, and the directory if it was new. */
  async undo(): Promise<void> {
    if (!this.#claim.isNew) return this.release();
    const { first_wal: first, last_wal: last = 0 } = this.manifest.current;
    for (let number = first; number <= last; number++)
      await this.disk.remove(this.pathOf(fileName('wal', number)));
    await this.disk.remove(this.pathOf(MANIFEST_FILE));
    await this.#claim.undo();
  }
}
