import { join } from 'node:path';
import type { Disk, DirectoryLock } from '#platform/disk';
import { fileName } from './file-names.ts';
import { type Manifest, ManifestFile } from './manifest.ts';
import type { StorageLog } from './storage.port.ts';
import { reasonOf } from './store-error.ts';

/** Where a store is kept, and who is told what happens to it. */
export interface StorePlace {
  readonly disk: Disk;
  readonly directory: string;
  readonly log?: StorageLog | undefined;
}

/**
 * The files of an open store, in a directory that this process holds. The manifest names them; one that it
 * names no more is removed, once nobody copies the directory.
 */
export class StoreFiles {
  readonly disk: Disk;
  readonly directory: string;
  readonly log: StorageLog | undefined;
  readonly manifest: ManifestFile;
  readonly #lock: DirectoryLock;
  #pins = 0;
  #waiting: string[] = [];

  constructor({ disk, directory, log }: StorePlace, manifest: Manifest, lock: DirectoryLock) {
    this.disk = disk;
    this.directory = directory;
    this.log = log;
    this.manifest = new ManifestFile(disk, directory, manifest);
    this.#lock = lock;
  }

  /** A name that no file ever had. */
  newName(kind: 'segment' | 'image'): string {
    return fileName(kind, this.manifest.takeNumber());
  }

  pathOf(name: string): string {
    return join(this.directory, name);
  }

  /** What stands at `offset`; shorter than `bytes` at the end of the file. */
  async read(name: string, offset: number, bytes: number): Promise<Uint8Array> {
    const file = await this.disk.open(this.pathOf(name), 'read');
    try {
      const into = new Uint8Array(bytes);
      return into.subarray(0, await file.read(into, offset));
    } finally {
      await file.close();
    }
  }

  /** A file that cannot be removed takes room until the next open, and no more. */
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
        this.log?.warn(fields, 'could not remove an obsolete file');
      }
    }
  }

  /** Nothing is removed until what this gives is called, once. */
  pin(): () => Promise<void> {
    this.#pins++;
    return async () => {
      this.#pins--;
      if (this.#pins === 0) await this.remove(this.#waiting.splice(0));
    };
  }

  /** Nothing is removed while `work` runs. */
  async whilePinned<T>(work: () => Promise<T>): Promise<T> {
    const unpin = this.pin();
    try {
      return await work();
    } finally {
      await unpin();
    }
  }

  /** Lets other processes have the directory. */
  release(): Promise<void> {
    return this.#lock.release();
  }
}
