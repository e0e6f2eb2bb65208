import { WAL_EXTENSION_BYTES } from '../store/limits.ts';
import type { StoreFiles } from '../store/store-files.ts';
import { WalSpare } from '../wal/wal-spare.ts';
import { createWal, type WalWriter } from '../wal/wal-writer.ts';
import type { LogGeneration } from './log-generations.ts';

/** Closes the file when `work` fails. */
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
  /** The file is worth a successor once it holds this much. */
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

  /** Makes a frame durable. */
  async write(frame: Uint8Array, firstSeq: number, batches: number): Promise<void> {
    await this.#writer.append(frame, firstSeq, batches);
    if (this.#writer.end >= this.#spareFromBytes) this.#spare.prepare();
  }

  /** Goes on in a new file, which is the generation's. */
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

  /** Gives back the room that was prepared for more (`isIntact`: no write failed), and closes the file. */
  async close(isIntact: boolean): Promise<void> {
    try {
      await this.#spare.cancel();
      if (isIntact) await this.#writer.trim();
    } finally {
      await this.#writer.close();
    }
  }
}
