/**
 * The data directory of one program: created if it is missing, recognized if it belongs to another program,
 * and locked. A start that fails removes again what it has created, as far as it is still empty.
 */
import { join } from 'node:path';
import { DomainError } from '#platform/foundation';
import { DirectoryLock, type LockLog } from './directory-lock.ts';
import { DiskError, isMissingFile } from './disk-error.ts';
import type { Disk } from './disk.port.ts';

export type DirectoryOwner = 'graph' | 'hive';

/** Finds the name by which a directory is recognized as that of a program. */
const MARKS: Readonly<
  Record<DirectoryOwner, (disk: Disk, directory: string) => Promise<string | undefined>>
> = {
  graph: async (disk, directory) => (await namesIn(disk.list(directory))).find((name) => name === 'MANIFEST'),
  hive: async (disk, directory) => {
    if ((await namesIn(disk.list(directory))).includes('edges.json')) return 'edges.json';
    const runs = await namesIn(disk.listDirectories(join(directory, 'runs')));
    return runs.some((name) => /^r-\d{8}-/.test(name)) ? 'runs/' : undefined;
  },
};
const TITLES: Readonly<Record<DirectoryOwner, string>> = { graph: 'the graph service', hive: 'a hive' };

export interface DirectoryClaim {
  readonly owner: DirectoryOwner;
  readonly log?: LockLog | undefined;
}

export class DataDirectory {
  readonly #disk: Disk;
  readonly #lock: DirectoryLock;
  readonly #created: readonly string[];

  private constructor(disk: Disk, lock: DirectoryLock, created: readonly string[]) {
    this.#disk = disk;
    this.#lock = lock;
    this.#created = created;
  }

  /**
   * Rejects with INVALID_CONFIG for the directory of another program, STORE_LOCKED while a process holds it,
   * and a `DiskError` if it cannot be created.
   */
  static async claim(disk: Disk, directory: string, { owner, log }: DirectoryClaim): Promise<DataDirectory> {
    await refuseForeign(disk, directory, owner);
    const created = await disk.makeDirectory(directory);
    try {
      return new DataDirectory(disk, await DirectoryLock.acquire(disk, directory, log), created);
    } catch (error) {
      await removeEmpty(disk, created);
      throw error;
    }
  }

  /** Whether the claim has created the directory. */
  get isNew(): boolean {
    return this.#created.length > 0;
  }

  release(): Promise<void> {
    return this.#lock.release();
  }

  /** Releases it after a failed start. */
  async undo(): Promise<void> {
    await this.release();
    await removeEmpty(this.#disk, this.#created);
  }
}

/** A directory with the marks of both is that of the program that asks: it has been used so. */
async function refuseForeign(disk: Disk, directory: string, owner: DirectoryOwner): Promise<void> {
  const other: DirectoryOwner = owner === 'graph' ? 'hive' : 'graph';
  const mark = await MARKS[other](disk, directory);
  if (mark === undefined || (await MARKS[owner](disk, directory)) !== undefined) return;
  throw new DomainError(
    'INVALID_CONFIG',
    `expected a data directory of ${TITLES[owner]}, got ${directory}, which is that of ${TITLES[other]}: it has ${mark}`,
  );
}

async function namesIn(listed: Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await listed;
  } catch (error) {
    if (isMissingFile(error) || (error instanceof DiskError && error.code === 'ENOTDIR')) return [];
    throw error;
  }
}

/** Removes the created directories, except those in which others have put something. */
async function removeEmpty(disk: Disk, created: readonly string[]): Promise<void> {
  for (const directory of created.toReversed()) if (!(await disk.removeEmptyDirectory(directory))) return;
}
