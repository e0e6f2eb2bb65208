import { crc32 } from 'node:zlib';
import type { Disk, DiskFile } from '#platform/disk';
import { compressOnPool } from '../encoding/zstd.ts';
import { IMAGE_CHUNK_BYTES } from '../store/limits.ts';
import type { ImagePart } from '../store/storage.port.ts';
import {
  encodeDirectory,
  encodeImageFooter,
  encodeImageHeader,
  type ImageChunk,
  type ImagePartEntry,
} from './image-format.ts';

const LEVEL = 1;
/** Number of chunks compressed ahead of the one being written. */
const CHUNKS_AHEAD = 2;
/** Bytes between syncs, so that a commit of the log never waits for a whole image. */
const SYNC_EVERY_BYTES = 32 * 1024 * 1024;

/** Writes an image as a new file, and syncs it. */
export async function writeImage(
  disk: Disk,
  path: string,
  seq: number,
  parts: readonly ImagePart[],
): Promise<void> {
  const file = await disk.open(path, 'create');
  try {
    const output = new ImageOutput(file);
    await output.write(encodeImageHeader());
    const entries: ImagePartEntry[] = [];
    for (const part of parts) entries.push(await output.writePart(part));
    const directory = encodeDirectory(entries);
    const footer = {
      directoryOffset: output.position,
      directoryBytes: directory.length,
      directoryChecksum: crc32(directory),
      seq,
    };
    await output.write(directory);
    await output.write(encodeImageFooter(footer));
    await file.sync();
  } finally {
    await file.close();
  }
}

class ImageOutput {
  readonly #file: DiskFile;
  position = 0;
  #syncedUpTo = 0;

  constructor(file: DiskFile) {
    this.#file = file;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#file.write(bytes, this.position);
    this.position += bytes.length;
    if (this.position - this.#syncedUpTo < SYNC_EVERY_BYTES) return;
    await this.#file.sync();
    this.#syncedUpTo = this.position;
  }

  async writePart(part: ImagePart): Promise<ImagePartEntry> {
    const isCompressed = part.compress === true;
    const chunks: ImageChunk[] = [];
    for await (const { raw, stored } of storedChunks(part.bytes, isCompressed)) {
      const checksum = crc32(stored);
      chunks.push({ offset: this.position, storedBytes: stored.length, rawBytes: raw.length, checksum });
      await this.write(stored);
    }
    return { bytes: part.bytes.length, isCompressed, chunks };
  }
}

async function* storedChunks(
  bytes: Uint8Array,
  isCompressed: boolean,
): AsyncGenerator<{ raw: Uint8Array; stored: Uint8Array }> {
  const ahead: { raw: Uint8Array; stored: Promise<Uint8Array> }[] = [];
  for (let at = 0; at < bytes.length || ahead.length > 0;) {
    while (at < bytes.length && ahead.length <= CHUNKS_AHEAD) {
      const raw = bytes.subarray(at, at + IMAGE_CHUNK_BYTES);
      ahead.push({ raw, stored: isCompressed ? compressOnPool(raw, LEVEL) : Promise.resolve(raw) });
      at += raw.length;
    }
    const first = ahead.shift();
    if (first !== undefined) yield { raw: first.raw, stored: await first.stored };
  }
}
