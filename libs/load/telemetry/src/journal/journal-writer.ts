import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import type { Disk, DiskFile } from '#platform/disk';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { journalName } from '../file-names.ts';
import { encodeFrame, encodeHeader, type JournalBatch, type JournalMark } from './journal-format.ts';

/** The journal of one generation. Writes and syncs one frame at a time. */
export class JournalWriter {
  readonly number: number;
  readonly #file: DiskFile;
  readonly #salt: number;
  readonly #frame = new ByteWriter();
  #frames = 0;
  #end: number;

  private constructor(number: number, file: DiskFile, salt: number, end: number) {
    this.number = number;
    this.#file = file;
    this.#salt = salt;
    this.#end = end;
  }

  /** Creates the file durably. */
  static async create(
    { disk, directory }: { readonly disk: Disk; readonly directory: string },
    number: number,
    marks: readonly JournalMark[],
  ): Promise<JournalWriter> {
    const salt = randomInt(1, 2 ** 32);
    const header = encodeHeader({ number, salt, marks });
    const file = await disk.open(join(directory, journalName(number)), 'create');
    try {
      await file.write(header, 0);
      await file.sync();
      await disk.syncDirectory(directory);
    } catch (error) {
      await file.close();
      throw error;
    }
    return new JournalWriter(number, file, salt, header.length);
  }

  get bytes(): number {
    return this.#end;
  }

  /** Resolves when the batches are on disk. Must not be called again after a rejection. */
  async append(batches: readonly JournalBatch[]): Promise<void> {
    const frame = encodeFrame(this.#frame, batches, { salt: this.#salt, number: this.#frames++ });
    await this.#file.write(frame, this.#end);
    await this.#file.sync();
    this.#end += frame.length;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
