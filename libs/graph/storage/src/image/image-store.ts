import { join } from 'node:path';
import { DiskError, type Disk } from '#platform/disk';
import type { ManifestFile } from '../manifest/manifest-file.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { fileName } from '../store/file-names.ts';
import type { FileRemoval } from '../store/file-removal.ts';
import type { Image, ImagePart, StorageLog } from '../store/storage.port.ts';
import { readImage } from './image-reader.ts';
import { writeImage } from './image-writer.ts';

export interface ImageStoreOptions {
  readonly disk: Disk;
  readonly directory: string;
  readonly manifest: ManifestFile;
  readonly removal: FileRemoval;
  readonly log: StorageLog | undefined;
}

/** The one image that the manifest names. */
export class ImageStore {
  readonly #options: ImageStoreOptions;

  constructor(options: ImageStoreOptions) {
    this.#options = options;
  }

  async save(seq: number, parts: readonly ImagePart[]): Promise<void> {
    const { disk, directory, manifest, removal, log } = this.#options;
    const name = fileName('image', manifest.takeNumber());
    try {
      await writeImage(disk, join(directory, name), seq, parts);
    } catch (error) {
      await removal.remove([name]);
      throw error;
    }
    const obsolete: string[] = [];
    const replace = (current: Manifest): Manifest => {
      const isOvertaken = seq < current.purged_seq || seq < (current.image?.seq ?? 0);
      obsolete.push(...(isOvertaken ? [name] : namesOf(current)));
      return isOvertaken ? current : { ...current, image: { name, seq } };
    };
    await manifest.change(replace, () => undefined);
    if (obsolete.includes(name))
      log?.warn({ event: 'storage.image_overtaken', seq }, 'dropped an overtaken image');
    await removal.remove(obsolete);
  }

  /** Undefined when there is none, or it cannot be used; it is forgotten then. */
  async load(): Promise<Image | undefined> {
    const { disk, directory, manifest } = this.#options;
    const { image, purged_seq } = manifest.current;
    if (image === null) return undefined;
    if (image.seq < purged_seq) {
      await this.#drop('a purge has overtaken it');
      return undefined;
    }
    const loaded = await readImage(disk, join(directory, image.name)).catch(unreadable);
    if (loaded === undefined) await this.#drop('it is missing, damaged or of another format');
    return loaded;
  }

  async #drop(reason: string): Promise<void> {
    const { manifest, removal } = this.#options;
    const name = manifest.current.image?.name;
    if (name === undefined) return;
    await manifest.change(
      (current) => ({ ...current, image: null }),
      () => undefined,
    );
    this.#options.log?.warn({ event: 'storage.image_dropped', file: name, reason }, 'dropped the image');
    await removal.remove([name]);
  }
}

function namesOf({ image }: Manifest): string[] {
  return image === null ? [] : [image.name];
}

/** A disk that cannot give the image back costs time, and nothing else. */
function unreadable(error: unknown): undefined {
  if (!(error instanceof DiskError)) throw error;
}
