import { join } from 'node:path';
import type { Disk } from '#platform/disk';
import { WAL_SPARE } from '../store/file-names.ts';
import { TRANSFER_BYTES } from '../store/limits.ts';

const ZEROS = new Uint8Array(TRANSFER_BYTES);

/** A spare is made only if this many of them fit on the disk, so that it never uses the log's last space. */
const ROOM_FACTOR = 4;

/**
 * The next log file, filled with zeros in the background. Its name is temporary: the next open removes it. It
 * only saves time: without space for it, or after a failure, the log continues without it.
 */
export class WalSpare {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #path: string;
  readonly #bytes: number;
  #filling: Promise<void> | undefined;
  #isFull = false;
  #isCancelled = false;

  constructor(disk: Disk, directory: string, bytes: number) {
    this.#disk = disk;
    this.#directory = directory;
    this.#path = join(directory, WAL_SPARE);
    this.#bytes = bytes;
  }

  /** Begins to fill the file, unless it has begun already. */
  prepare(): void {
    if (this.#filling !== undefined || this.#isCancelled) return;
    this.#filling = this.#fillOrRemove();
    this.#filling.catch(() => undefined);
  }

  /** Hands the full file over to the caller. Rejects if an incomplete file cannot be removed. */
  async claim(): Promise<{ path: string; bytes: number } | undefined> {
    if (this.#filling === undefined) return undefined;
    await this.#filling;
    this.#filling = undefined;
    if (!this.#isFull) return undefined;
    this.#isFull = false;
    return { path: this.#path, bytes: this.#bytes };
  }

  /** Stops filling and removes the file. */
  async cancel(): Promise<void> {
    this.#isCancelled = true;
    await this.#filling?.catch(() => undefined);
    await this.#disk.remove(this.#path);
  }

  async #fillOrRemove(): Promise<void> {
    try {
      const freeBytes = await this.#disk.freeBytes(this.#directory);
      if (freeBytes >= ROOM_FACTOR * this.#bytes) await this.#fill();
    } catch {
      await this.#disk.remove(this.#path);
    }
  }

  async #fill(): Promise<void> {
    const file = await this.#disk.open(this.#path, 'create');
    try {
      for (let at = 0; at < this.#bytes && !this.#isCancelled; at += ZEROS.length) {
        await file.write(ZEROS.subarray(0, Math.min(ZEROS.length, this.#bytes - at)), at);
        await file.sync();
      }
    } finally {
      await file.close();
    }
    this.#isFull = !this.#isCancelled;
  }
}
