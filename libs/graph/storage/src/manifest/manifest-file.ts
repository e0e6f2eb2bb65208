import type { Disk } from '#platform/disk';
import { writeManifest, type Manifest } from './manifest.ts';

/** The manifest on disk and in memory; changes are made one after the other. */
export class ManifestFile {
  readonly #disk: Disk;
  readonly #directory: string;
  #current: Manifest;
  #nextNumber: number;
  #last: Promise<void> = Promise.resolve();

  constructor(disk: Disk, directory: string, manifest: Manifest) {
    this.#disk = disk;
    this.#directory = directory;
    this.#current = manifest;
    this.#nextNumber = manifest.next_number;
  }

  /** As it stands on disk. */
  get current(): Manifest {
    return this.#current;
  }

  /** A number for a new segment or image, never given before. */
  takeNumber(): number {
    return this.#nextNumber++;
  }

  /** The log goes on in this file. */
  noteLog(number: number): Promise<void> {
    return this.change(
      (manifest) => ({ ...manifest, last_wal: number }),
      () => undefined,
    );
  }

  /**
   * Replaces the manifest by what `change` makes of it. `onChanged` runs in the same turn in which `current`
   * changes, so that memory and disk agree for whoever looks.
   */
  change(change: (manifest: Manifest) => Manifest, onChanged: () => void): Promise<void> {
    const changed = this.#last.then(async () => {
      const next = { ...change(this.#current), next_number: this.#nextNumber };
      await writeManifest(this.#disk, this.#directory, next);
      this.#current = next;
      onChanged();
    });
    this.#last = changed.catch(() => undefined);
    return changed;
  }
}
