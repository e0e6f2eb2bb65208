import { randomUUID } from 'node:crypto';
import {
  accessSync,
  close,
  constants,
  type Dirent,
  fdatasync,
  fstat,
  ftruncate,
  ftruncateSync,
  open,
  read,
  type Stats,
  write,
  writeSync,
} from 'node:fs';
import {
  link,
  mkdir,
  open as openHandle,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve as resolvePath } from 'node:path';
import { DiskError } from './disk-error.ts';
import { Disk, type DiskFile, type OpenMode, type OpenOptions, type ProcessIdentity } from './disk.port.ts';
import { isRunning, ownIdentity } from './process-facts.ts';

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL } = constants;
const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY,
  write: O_RDWR,
  create: O_RDWR | O_CREAT | O_EXCL,
};
/** Linux only: on macOS O_DSYNC leaves data in the cache of the drive. */
const O_DSYNC = process.platform === 'linux' ? constants.O_DSYNC : undefined;
/** Files are readable by the user of the process only; a umask may restrict them further. */
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
const NOT_REMOVED: ReadonlySet<string> = new Set(['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EBUSY']);
/** Maximum size of one system call: the limit of Linux is 2 GiB less a page. */
const TRANSFER_BYTES_MAX = 1 << 30;

/** The machine's file system. */
export class NodeDisk extends Disk {
  override open(path: string, mode: OpenMode, options: OpenOptions = {}): Promise<DiskFile> {
    const { isDurable = false } = options;
    const flags = FLAGS[mode] | (isDurable ? (O_DSYNC ?? 0) : 0);
    return new Promise((resolve, reject) => {
      open(path, flags, FILE_MODE, (error, fd) => {
        if (error) reject(diskError('open', path, error));
        else resolve(new NodeFile(fd, path, isDurable && O_DSYNC === undefined));
      });
    });
  }

  override async isStream(path: string): Promise<boolean> {
    const stats = await stat(path).catch(() => undefined);
    return stats !== undefined && !stats.isFile() && !stats.isDirectory();
  }

  /** Pipes, and the files of the kernel, have no size: they are read to their end. */
  override async readBytes(path: string): Promise<Uint8Array> {
    const stats = await stat(path).catch(rethrow('open', path));
    const hasSize = stats.size > 0 || !(stats.isFIFO() || stats.isFile());
    return hasSize ? super.readBytes(path) : readFile(path).catch(rethrow('read', path));
  }

  override rename(from: string, to: string): Promise<void> {
    return rename(from, to).catch(rethrow('rename', from));
  }

  override async remove(path: string): Promise<boolean> {
    try {
      await unlink(path);
      return true;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false;
      throw diskError('remove', path, error);
    }
  }

  override async list(directory: string): Promise<readonly string[]> {
    return namesOf(directory, (entry) => entry.isFile());
  }

  override async listDirectories(directory: string): Promise<readonly string[]> {
    return namesOf(directory, (entry) => entry.isDirectory());
  }

  override async links(directory: string): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const name of await namesOf(directory, (entry) => entry.isSymbolicLink())) {
      try {
        found.set(name, await readlink(join(directory, name)));
      } catch (error) {
        // One that was removed meanwhile, such as an open file of a process.
        if (errnoOf(error) !== 'ENOENT') throw diskError('read link', join(directory, name), error);
      }
    }
    return found;
  }

  /** One at a time: `mkdir` with `recursive` never ends below a directory such as /proc. */
  override async makeDirectory(directory: string): Promise<readonly string[]> {
    const created: string[] = [];
    try {
      for (const path of await missingOf(directory)) {
        if (!(await this.#makeOne(path))) continue;
        created.push(path);
        await this.syncDirectory(dirname(path));
      }
      return created;
    } catch (error) {
      for (const path of created.reverse()) await this.removeEmptyDirectory(path);
      throw error;
    }
  }

  override async removeEmptyDirectory(directory: string): Promise<boolean> {
    try {
      await rmdir(directory);
      return true;
    } catch (error) {
      if (NOT_REMOVED.has(errnoOf(error))) return false;
      throw diskError('remove', directory, error);
    }
  }

  /** Returns false if another process was first. */
  async #makeOne(path: string): Promise<boolean> {
    try {
      await mkdir(path, DIRECTORY_MODE);
      return true;
    } catch (error) {
      if (errnoOf(error) === 'EEXIST' && (await isDirectory(path))) return false;
      throw diskError('make directory', path, error);
    }
  }

  override async syncDirectory(directory: string): Promise<void> {
    const handle = await openHandle(directory, 'r').catch(rethrow('open', directory));
    try {
      await handle.sync().catch(rethrow('sync', directory));
    } finally {
      await handle.close();
    }
  }

  override async freeBytes(directory: string): Promise<number> {
    const { bavail, bsize } = await statfs(directory).catch(rethrow('statfs', directory));
    return bavail * bsize;
  }

  override async removeDirectory(directory: string): Promise<void> {
    await rm(directory, { recursive: true, force: true }).catch(rethrow('rm', directory));
  }

  /** A hard link appears with its content and fails when the name exists: it is atomic in both respects. */
  override async createExclusive(path: string, bytes: Uint8Array): Promise<boolean> {
    const draft = `${path}.${randomUUID()}.tmp`;
    try {
      // On a full disk it may leave an empty file.
      await writeFile(draft, bytes, { flag: 'wx', mode: FILE_MODE }).catch(rethrow('write', draft));
      await link(draft, path);
      return true;
    } catch (error) {
      if (error instanceof DiskError) throw error;
      if (errnoOf(error) === 'EEXIST') return false;
      throw diskError('link', path, error);
    } finally {
      await this.remove(draft);
    }
  }

  override ownIdentity(): Promise<ProcessIdentity> {
    return ownIdentity();
  }

  override isRunning(identity: ProcessIdentity): Promise<boolean> {
    return isRunning(identity);
  }
}

/**
 * Uses callbacks instead of a `FileHandle`: half the cost per call, and the log makes two calls for each
 * commit.
 */
class NodeFile implements DiskFile {
  readonly #fd: number;
  readonly #path: string;
  readonly #syncsWrites: boolean;
  #isClosed = false;

  constructor(fd: number, path: string, syncsWrites: boolean) {
    this.#fd = fd;
    this.#path = path;
    this.#syncsWrites = syncsWrites;
  }

  async read(into: Uint8Array, position: number): Promise<number> {
    let done = 0;
    while (done < into.length) {
      const count = await this.#readSome(into, done, position + done);
      if (count === 0) break;
      done += count;
    }
    return done;
  }

  async write(bytes: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      done += await this.#writeSome(bytes, done, position + done);
    }
    if (this.#syncsWrites) await this.sync();
  }

  writeNow(bytes: Uint8Array, position: number): void {
    const fd = this.#open('write');
    try {
      for (let done = 0; done < bytes.length;) {
        done += writeSync(fd, bytes, done, bytes.length - done, position + done);
      }
    } catch (error) {
      cutOff(fd, position);
      throw diskError('write', this.#path, error);
    }
  }

  truncate(length: number): Promise<void> {
    return this.#call('truncate', (done) => ftruncate(this.#open('truncate'), length, done));
  }

  sync(): Promise<void> {
    return this.#call('sync', (done) => fdatasync(this.#open('sync'), done));
  }

  async size(): Promise<number> {
    return (await this.#stat()).size;
  }

  async modifiedMs(): Promise<number> {
    return (await this.#stat()).mtimeMs;
  }

  #stat(): Promise<Stats> {
    return new Promise((resolve, reject) => {
      fstat(this.#open('stat'), (error, stats) => {
        if (error) reject(diskError('stat', this.#path, error));
        else resolve(stats);
      });
    });
  }

  close(): Promise<void> {
    return this.#call('close', (done) => {
      const fd = this.#open('close');
      this.#isClosed = true;
      close(fd, done);
    });
  }

  /** The descriptor; fails after close, when it may be reused for another file. */
  #open(operation: string): number {
    if (this.#isClosed) throw new DiskError('EBADF', operation, this.#path);
    return this.#fd;
  }

  #readSome(into: Uint8Array, offset: number, position: number): Promise<number> {
    const length = Math.min(into.length - offset, TRANSFER_BYTES_MAX);
    return new Promise((resolve, reject) => {
      read(this.#open('read'), into, offset, length, position, (error, count) => {
        if (error) reject(diskError('read', this.#path, error));
        else resolve(count);
      });
    });
  }

  #writeSome(bytes: Uint8Array, offset: number, position: number): Promise<number> {
    const length = Math.min(bytes.length - offset, TRANSFER_BYTES_MAX);
    return new Promise((resolve, reject) => {
      write(this.#open('write'), bytes, offset, length, position, (error, count) => {
        if (error) reject(diskError('write', this.#path, error));
        else resolve(count);
      });
    });
  }

  #call(operation: string, start: (done: (error: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      start((error) => {
        if (error) reject(diskError(operation, this.#path, error));
        else resolve();
      });
    });
  }
}

/** Nothing is left of a write that failed, as far as the disk allows. */
function cutOff(fd: number, position: number): void {
  try {
    ftruncateSync(fd, position);
  } catch {
    // The failure of the write is what the caller has to know.
  }
}

/** The directory and its parents that do not exist, outermost first. */
async function missingOf(directory: string): Promise<readonly string[]> {
  const missing: string[] = [];
  for (let path = resolvePath(directory); !(await isDirectory(path)); path = dirname(path))
    missing.unshift(path);
  return missing;
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return false;
    throw diskError('stat', path, error);
  }
}

async function namesOf(directory: string, isWanted: (entry: Dirent) => boolean): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(rethrow('list', directory));
  return entries
    .filter(isWanted)
    .map((entry) => entry.name)
    .sort();
}

function rethrow(operation: string, path: string): (error: unknown) => never {
  return (error) => {
    throw diskError(operation, path, error);
  };
}

function diskError(operation: string, path: string, cause: unknown): DiskError {
  return new DiskError(errnoOf(cause), operation, path, cause);
}

function errnoOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'EUNKNOWN';
}

/** Whether the file exists and this process may execute it. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
