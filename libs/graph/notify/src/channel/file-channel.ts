import { dirname } from 'node:path';
import { DeliveryFailed } from '#platform/delivery';
import { type Disk, DiskError, type DiskFile, isMissingFile } from '#platform/disk';
import type { FileConfig } from '../config/notification-config.ts';
import type { NotificationMessage } from '../outbox/message.ts';
import { Channel } from './channel.port.ts';

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

  /**
   * A crash may leave the beginning of the line, which is cut off. Any other text without a line break at the
   * end is not of this message: the line follows it.
   */
  async #append(line: Buffer): Promise<void> {
    const file = await this.#open();
    try {
      const size = await file.size();
      const rest = await restOf(file, size, line.length);
      const isOwn = rest !== undefined && line.subarray(0, rest.length).equals(rest);
      const end = isOwn ? size - rest.length : size;
      if (end < size) await file.truncate(end);
      await file.write(isOwn ? line : Buffer.concat([Buffer.of(NEWLINE), line]), end);
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

/** What follows the last line break; undefined if it is longer than `most` bytes. */
async function restOf(file: DiskFile, size: number, most: number): Promise<Buffer | undefined> {
  const start = Math.max(0, size - most - 1);
  const tail = Buffer.alloc(size - start);
  await file.read(tail, start);
  const last = tail.lastIndexOf(NEWLINE);
  return last === -1 && start > 0 ? undefined : tail.subarray(last + 1);
}
