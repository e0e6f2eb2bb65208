import type { Disk } from '#platform/disk';
import { Memtable } from '../memtable/memtable.ts';
import { WAL_EXTENSION_BYTES } from '../store/limits.ts';
import { WalSpare } from '../wal/wal-spare.ts';
import { createWal, type WalWriter } from '../wal/wal-writer.ts';

export interface LogFilesOptions {
  readonly disk: Disk;
  readonly directory: string;
  readonly walFileBytes: number;
  /** Makes it durable that the log goes on in this file: one that is missing later is missed. */
  readonly onCreated: (number: number) => Promise<void>;
}

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
  readonly #options: LogFilesOptions;
  readonly #spare: WalSpare;
  /** The file is worth a successor once it holds this much. */
  readonly #spareFromBytes: number;
  #writer: WalWriter;

  constructor(options: LogFilesOptions, writer: WalWriter) {
    const { disk, directory, walFileBytes } = options;
    this.#options = options;
    this.#writer = writer;
    this.#spare = new WalSpare(disk, directory, walFileBytes);
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
    const next = await createWal(this.#options, { number, firstSeq }, await this.#spare.claim());
    await closedOnFailure(next, () => this.#options.onCreated(number));
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

/** What one flush makes durable in sorted form: some log files, and their records in memory. */
export class LogGeneration {
  readonly memtable = new Memtable();
  /** The numbers of its log files, ascending. */
  readonly walNumbers: number[] = [];
  /** Bytes of its log files, frames under way included. */
  walBytes = 0;
  /** Nothing is written to its files any more. */
  isComplete = false;
}
