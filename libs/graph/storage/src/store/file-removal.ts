import { join } from 'node:path';
import type { Disk } from '#platform/disk';
import type { StorageLog } from './storage.port.ts';
import { reasonOf } from './store-error.ts';

/** Removes files that the manifest names no more; waits while somebody copies the directory. */
export class FileRemoval {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #log: StorageLog | undefined;
  #pins = 0;
  #waiting: string[] = [];

  constructor(disk: Disk, directory: string, log: StorageLog | undefined) {
    this.#disk = disk;
    this.#directory = directory;
    this.#log = log;
  }

  /** A file that cannot be removed takes room until the next open, and no more. */
  async remove(names: readonly string[]): Promise<void> {
    if (this.#pins > 0) {
      this.#waiting.push(...names);
      return;
    }
    for (const name of names) {
      try {
        await this.#disk.remove(join(this.#directory, name));
      } catch (error) {
        const fields = { event: 'storage.not_removed', file: name, reason: reasonOf(error) };
        this.#log?.warn(fields, 'could not remove an obsolete file');
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
}
