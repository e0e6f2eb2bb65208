import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';

const CHUNK_BYTES = 262_144;
/** What of a run's directory is for others; journals and drafts are not. */
const PUBLIC = /^(?:[a-z]+-part-\d{5,}\.parquet|run\.json|scenario\.yaml)$/;

export interface RunFileEntry {
  readonly name: string;
  readonly bytes: number;
}

/** The files of a run for those who want to read them with tools of their own. */
export class RunFiles {
  readonly #disk: Disk;
  readonly #directory: string;

  constructor(disk: Disk, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
  }

  async list(): Promise<readonly RunFileEntry[]> {
    const names = (await this.#disk.list(this.#directory)).filter((name) => PUBLIC.test(name));
    return Promise.all(names.map(async (name) => ({ name, bytes: await this.#sizeOf(name) })));
  }

  /** Throws NOT_FOUND for a name that {@link list} does not give. */
  async open(name: string): Promise<{ readonly bytes: number; readonly stream: Readable }> {
    const entry = (await this.list()).find((one) => one.name === name);
    if (entry === undefined) throw new DomainError('NOT_FOUND', 'the run has no file of this name');
    return { bytes: entry.bytes, stream: Readable.from(this.#chunks(entry), { objectMode: false }) };
  }

  async *#chunks({ name, bytes }: RunFileEntry): AsyncGenerator<Uint8Array> {
    const file = await this.#disk.open(join(this.#directory, name), 'read');
    try {
      for (let at = 0; at < bytes; at += CHUNK_BYTES) {
        const chunk = new Uint8Array(Math.min(CHUNK_BYTES, bytes - at));
        yield chunk.subarray(0, await file.read(chunk, at));
      }
    } finally {
      await file.close();
    }
  }

  async #sizeOf(name: string): Promise<number> {
    const file = await this.#disk.open(join(this.#directory, name), 'read');
    try {
      return await file.size();
    } finally {
      await file.close();
    }
  }
}
