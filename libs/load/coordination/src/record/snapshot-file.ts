import { dirname } from 'node:path';
import { type Disk, isFullDisk, isMissingFile } from '#platform/disk';
import { DomainError } from '#platform/foundation';

/**
 * A file that always contains one complete value: each save writes a new file, syncs it, and renames it over
 * the old one. Saves during a write share the next write.
 */
export class SnapshotFile {
  readonly #disk: Disk;
  readonly #path: string;
  #writing: Promise<void> = Promise.resolve();
  #next: { readonly textOf: () => string; readonly done: Promise<void> } | undefined;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  /** Undefined if the file does not exist. */
  async read(): Promise<string | undefined> {
    try {
      return await this.#disk.readText(this.#path);
    } catch (error) {
      if (isMissingFile(error)) return undefined;
      throw error;
    }
  }

  /**
   * Resolves when this text, or a later one, is durable. `textOf` is called at the start of the write. Throws
   * NO_DISK_SPACE.
   */
  save(textOf: () => string): Promise<void> {
    if (this.#next !== undefined) return (this.#next = { textOf, done: this.#next.done }).done;
    const done = this.#writing.then(() => {
      const text = (this.#next?.textOf ?? textOf)();
      this.#next = undefined;
      return this.#write(text);
    });
    this.#next = { textOf, done };
    this.#writing = done.catch(() => undefined);
    return done;
  }

  async #write(text: string): Promise<void> {
    const draft = `${this.#path}.tmp`;
    try {
      await this.#disk.remove(draft);
      await this.#disk.writeNew(draft, new TextEncoder().encode(text));
      await this.#disk.rename(draft, this.#path);
      await this.#disk.syncDirectory(dirname(this.#path));
    } catch (cause) {
      if (!isFullDisk(cause)) throw cause;
      throw new DomainError('NO_DISK_SPACE', 'the disk is full', { cause });
    }
  }
}
