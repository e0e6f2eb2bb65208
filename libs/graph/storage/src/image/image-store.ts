import { crc32 } from 'node:zlib';
import { type Disk, DiskError, type DiskFile } from '#platform/disk';
import { SharedSlabs } from '#platform/foundation';
import { decompressOnPool } from '../encoding/zstd.ts';
import type { Manifest } from '../store/manifest.ts';
import type { Image, ImagePart } from '../store/storage.port.ts';
import type { StoreFiles } from '../store/store-files.ts';
import {
  decodeDirectory,
  decodeImageFooter,
  IMAGE_FOOTER_BYTES,
  type ImageChunk,
  type ImagePartEntry,
} from './image-format.ts';
import { writeImage } from './image-writer.ts';

/** The image that the manifest names; at most one. */
export class ImageStore {
  readonly #files: StoreFiles;

  constructor(files: StoreFiles) {
    this.#files = files;
  }

  async save(seq: number, parts: readonly ImagePart[]): Promise<void> {
    const files = this.#files;
    const name = files.newName('image');
    try {
      await writeImage(files.disk, files.pathOf(name), seq, parts);
    } catch (error) {
      await files.remove([name]);
      throw error;
    }
    const obsolete: string[] = [];
    const replace = (current: Manifest): Manifest => {
      const isOvertaken = seq < current.purged_seq || seq < (current.image?.seq ?? 0);
      obsolete.push(...(isOvertaken ? [name] : namesOf(current)));
      return isOvertaken ? current : { ...current, image: { name, seq } };
    };
    await files.manifest.change(replace, () => undefined);
    if (obsolete.includes(name))
      files.log?.warn({ event: 'storage.image_overtaken', seq }, 'outdated image dropped');
    await files.remove(obsolete);
  }

  /** Undefined if there is none, or it is unusable, in which case it is dropped. */
  async load(): Promise<Image | undefined> {
    const files = this.#files;
    const { image, purged_seq } = files.manifest.current;
    if (image === null) return undefined;
    if (image.seq < purged_seq) {
      await this.drop('a purge has overtaken it');
      return undefined;
    }
    const loaded = await readImage(files.disk, files.pathOf(image.name)).catch(unreadable);
    if (loaded === undefined) await this.drop('it is missing, damaged or of another format');
    return loaded;
  }

  /** Removes the image, which can be derived again. */
  async drop(reason: string): Promise<void> {
    const { manifest, log } = this.#files;
    const name = manifest.current.image?.name;
    if (name === undefined) return;
    await manifest.change(
      (current) => ({ ...current, image: null }),
      () => undefined,
    );
    log?.warn({ event: 'storage.image_dropped', file: name, reason }, 'image dropped');
    await this.#files.remove([name]);
  }
}

function namesOf({ image }: Manifest): string[] {
  return image === null ? [] : [image.name];
}

/** An unreadable image costs only time. */
function unreadable(error: unknown): undefined {
  if (!(error instanceof DiskError)) throw error;
}

/** Concurrent reads, checks and decompressions: one per thread of the pool. */
const CHUNKS_IN_FLIGHT = 4;
/** Maximum size of a buffer with several parts (ADR 0247). */
const BUFFER_BYTES_MAX = 2 ** 30;

/** Reads an image into shared memory; undefined if any part of it is invalid. */
async function readImage(disk: Disk, path: string): Promise<Image | undefined> {
  const file = await disk.open(path, 'read');
  try {
    const footerAt = Math.max(0, (await file.size()) - IMAGE_FOOTER_BYTES);
    const footer = decodeImageFooter(await readAt(file, footerAt, IMAGE_FOOTER_BYTES));
    if (footer === undefined) return undefined;
    const directory = await readAt(file, footer.directoryOffset, footer.directoryBytes);
    if (crc32(directory) !== footer.directoryChecksum) return undefined;
    const parts = await readParts(file, decodeDirectory(directory));
    return parts === undefined ? undefined : { seq: footer.seq, parts };
  } finally {
    await file.close();
  }
}

async function readParts(
  file: DiskFile,
  entries: readonly ImagePartEntry[],
): Promise<Uint8Array[] | undefined> {
  const sizes = entries.map(({ bytes }) => bytes);
  const slabs = new SharedSlabs(SharedSlabs.roomFor(sizes), BUFFER_BYTES_MAX);
  const parts = sizes.map((bytes) => slabs.take(bytes));
  const tasks = entries.flatMap((entry, i) => {
    let at = 0;
    return entry.chunks.map((chunk) => {
      const into = parts[i]?.subarray(at, at + chunk.rawBytes) ?? new Uint8Array(0);
      at += chunk.rawBytes;
      return () => readChunk(file, chunk, into, entry.isCompressed);
    });
  });
  const readers = Array.from({ length: CHUNKS_IN_FLIGHT }, () => runAll(tasks));
  const results = await Promise.all(readers);
  return results.every(Boolean) ? parts : undefined;
}

/** Runs tasks of the shared list until it is empty or a task fails. */
async function runAll(tasks: (() => Promise<boolean>)[]): Promise<boolean> {
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    if (await task()) continue;
    tasks.length = 0;
    return false;
  }
  return true;
}

/** Fills `into`; returns false if the chunk is damaged. */
async function readChunk(
  file: DiskFile,
  chunk: ImageChunk,
  into: Uint8Array,
  isCompressed: boolean,
): Promise<boolean> {
  const stored = isCompressed ? new Uint8Array(chunk.storedBytes) : into;
  const count = await file.read(stored, chunk.offset);
  if (count !== chunk.storedBytes || crc32(stored) !== chunk.checksum) return false;
  if (!isCompressed) return true;
  const raw = await decompressOnPool(stored, chunk.rawBytes);
  if (raw.length !== into.length) return false;
  into.set(raw);
  return true;
}

async function readAt(file: DiskFile, position: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  return bytes.subarray(0, await file.read(bytes, position));
}
