import { dirname } from 'node:path';
import { type Disk, DiskError, type DiskFile, isMissingFile } from '#platform/disk';
import type { FileConfig } from '../config/notification-config.ts';
import type { NotificationMessage } from '../outbox/message.ts';
import { Channel, DeliveryFailed } from './channel.port.ts';

const NEWLINE = 0x0a;

/** One line of JSON for each message, synced before it counts as delivered. */
export class FileChannel extends Channel {
  readonly #path: string;
  readonly #disk: Disk;

  constructor({ path }: FileConfig, disk: Disk) {
    super();
    this.#path = path;
    this.#disk = disk;
  }

  override async send(message: NotificationMessage): Promise<void> {
    try {
      await this.#append(Buffer.from(`${JSON.stringify(message)}\n`));
    } catch (error) {
      if (error instanceof DiskError) throw new DeliveryFailed(`the file was not written: ${error.code}`);
      throw error;
    }
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  /** Offset after the last complete line: a crash may leave a partial one. */
  async #append(line: Uint8Array): Promise<void> {
    const file = await this.#open();
    try {
      const end = await endOfLines(file);
      await file.truncate(end);
      await file.write(line, end);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async #open(): Promise<DiskFile> {
    try {
      return await this.#disk.open(this.#path, 'write');
    } catch (error) {
      if (!isMissingFile(error)) throw error;
    }
    const directory = dirname(this.#path);
    await this.#disk.makeDirectory(directory);
    const file = await this.#disk.open(this.#path, 'create');
    await this.#disk.syncDirectory(directory);
    return file;
  }
}

const TAIL_BYTES = 65_536;

async function endOfLines(file: DiskFile): Promise<number> {
  const chunk = new Uint8Array(TAIL_BYTES);
  for (let end = await file.size(); end > 0; end -= TAIL_BYTES) {
    const start = Math.max(0, end - TAIL_BYTES);
    const count = await file.read(chunk.subarray(0, end - start), start);
    const last = chunk.subarray(0, count).lastIndexOf(NEWLINE);
    if (last !== -1) return start + last + 1;
  }
  return 0;
}
