import { crc32cInSlices } from '../encoding/crc32c.ts';
import { WAL_EXTENSION_BYTES } from '../store/limits.ts';
import { corruptStore } from '../store/store-error.ts';
import type { StoreFiles } from '../store/store-files.ts';
import { checksummedHeader, FRAME_HEADER_BYTES, frameChecksum } from '../wal/frame.ts';
import { WalSpare } from '../wal/wal-spare.ts';
import { createWal, type WalWriter } from '../wal/wal-writer.ts';
import type { LogGeneration } from './log-generations.ts';

/** The position of a frame. */
export interface FramePlace {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
}

/** Closes the file if `work` fails. */
export async function closedOnFailure(file: WalWriter, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The sequence of log files: writes go to the last one. */
export class LogFiles {
  readonly #files: StoreFiles;
  readonly #walFileBytes: number;
  readonly #spare: WalSpare;
  /** The next file is prepared once the current one has this size. */
  readonly #spareFromBytes: number;
  #writer: WalWriter;

  constructor(files: StoreFiles, walFileBytes: number, writer: WalWriter) {
    this.#files = files;
    this.#walFileBytes = walFileBytes;
    this.#writer = writer;
    this.#spare = new WalSpare(files.disk, files.directory, walFileBytes);
    this.#spareFromBytes = Math.min(WAL_EXTENSION_BYTES, walFileBytes / 2);
  }

  get current(): WalWriter {
    return this.#writer;
  }

  /** Makes a frame durable; returns its position. */
  async write(frame: Uint8Array, firstSeq: number, batches: number): Promise<FramePlace> {
    const { name, end } = this.#writer;
    await this.#writer.append(frame, firstSeq, batches);
    if (this.#writer.end >= this.#spareFromBytes) this.#spare.prepare();
    return { file: name, offset: end, bytes: frame.length };
  }

  /** Reads a durable frame; its file must still exist. Throws STORE_CORRUPT. */
  async read({ file, offset, bytes }: FramePlace): Promise<Uint8Array> {
    const frame = await this.#files.read(file, offset, bytes);
    const payload = frame.subarray(FRAME_HEADER_BYTES);
    const isWhole = frame.length === bytes;
    if (isWhole && (await crc32cInSlices(checksummedHeader(frame), payload)) === frameChecksum(frame)) {
      return frame;
    }
    throw corruptStore(file, offset, 'broken frame');
  }

  /** Switches to a new file, which belongs to `generation`. */
  async rotate(generation: LogGeneration, firstSeq: number): Promise<void> {
    const number = this.#writer.header.number + 1;
    const { disk, directory, manifest } = this.#files;
    const place = { disk, directory, walFileBytes: this.#walFileBytes };
    const next = await createWal(place, { number, firstSeq }, await this.#spare.claim());
    await closedOnFailure(next, () => manifest.noteLog(number));
    const previous = this.#writer;
    this.#writer = next;
    generation.walNumbers.push(number);
    await previous.close();
  }

  /** Releases the preallocated space (if `isIntact`: no write failed), and closes the file. */
  async close(isIntact: boolean): Promise<void> {
    try {
      await this.#spare.cancel();
      if (isIntact) await this.#writer.trim();
    } finally {
      await this.#writer.close();
    }
  }
}
