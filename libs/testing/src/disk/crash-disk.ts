/**
 * A disk in memory that loses power.
 *
 * 1. A file keeps its synced bytes, and after a crash an arbitrary subset of the 512-byte sectors written
 *    since the last sync.
 * 2. A created, replaced or removed name keeps its old or its new meaning, independently of other names,
 *    until its directory is synced.
 * 3. The power fails at call number `crashAt` of the calls that change something: this call has taken effect,
 *    not at all, or partially; it and all later calls reject. {@link CrashDisk.restart} returns the disk
 *    after the crash.
 * 4. Call number `failAt` rejects with an errno and has no effect; `capacityBytes` makes a disk full.
 */
import { basename, dirname } from 'node:path';
import {
  Disk,
  DiskError,
  type DiskFile,
  type OpenMode,
  type OpenOptions,
  type ProcessIdentity,
} from '#platform/disk';
import { CrashInode } from './crash-inode.ts';
import { seededRandom } from '#platform/foundation';

export interface CrashPlan {
  /** Counted from 1; calls that only read are not counted. */
  readonly crashAt?: number;
  readonly failAt?: { readonly call: number; readonly code: string };
  /** Total size of all files. Above it a write rejects with `ENOSPC`. */
  readonly capacityBytes?: number;
}

interface Directory {
  readonly names: Map<string, CrashInode>;
  readonly synced: Map<string, CrashInode>;
}

export class CrashDisk extends Disk {
  readonly #random: () => number;
  readonly #directories = new Map<string, Directory>();
  #boot = 1;
  #pid = 1;
  #plan: CrashPlan = {};
  #isDown = false;
  #calls = 0;

  constructor(seed: number) {
    super();
    this.#random = seededRandom(seed);
  }

  /** Restarts the count of calls. */
  plan(plan: CrashPlan): void {
    this.#plan = plan;
    this.#calls = 0;
  }

  /** Calls that changed something, since the last plan. */
  get calls(): number {
    return this.#calls;
  }

  get isDown(): boolean {
    return this.#isDown;
  }

  /** Fails the power now, outside a call. */
  crash(): void {
    this.#isDown = true;
  }

  /** The disk after the power has returned; this object stays down. */
  restart(): CrashDisk {
    this.#isDown = true;
    const next = new CrashDisk(Math.floor(this.#random() * 2 ** 32));
    next.#boot = this.#boot + 1;
    const survivors = new Map<CrashInode, CrashInode>();
    for (const [path, directory] of this.#directories) {
      const names = new Map<string, CrashInode>();
      for (const [name, inode] of this.#survivingNames(directory)) {
        const survivor = survivors.get(inode) ?? inode.survivor(this.#random);
        survivors.set(inode, survivor);
        names.set(name, survivor);
      }
      next.#directories.set(path, { names, synced: new Map(names) });
    }
    return next;
  }

  /** The disk for the next process, without a power failure; this object stays down. */
  endProcess(): CrashDisk {
    this.#isDown = true;
    const next = new CrashDisk(Math.floor(this.#random() * 2 ** 32));
    next.#boot = this.#boot;
    next.#pid = this.#pid + 1;
    for (const [path, directory] of this.#directories) next.#directories.set(path, directory);
    return next;
  }

  /** A durable write consists of a write and a sync: two calls, with a possible crash in between. */
  override open(path: string, mode: OpenMode, { isDurable = false }: OpenOptions = {}): Promise<DiskFile> {
    return this.#reading('open', path, () => {
      const directory = this.#directory('open', path);
      const found = directory.names.get(basename(path));
      if (mode !== 'create') {
        if (found === undefined) throw new DiskError('ENOENT', 'open', path);
        return this.#file(found, path, isDurable);
      }
      if (found !== undefined) throw new DiskError('EEXIST', 'open', path);
      return this.#changingNow('create', path, () => {
        const inode = new CrashInode();
        directory.names.set(basename(path), inode);
        return this.#file(inode, path, isDurable);
      });
    });
  }

  override rename(from: string, to: string): Promise<void> {
    return this.#changing('rename', from, () => {
      const { names } = this.#directory('rename', from);
      const inode = names.get(basename(from));
      if (inode === undefined) throw new DiskError('ENOENT', 'rename', from);
      names.delete(basename(from));
      names.set(basename(to), inode);
    });
  }

  override remove(path: string): Promise<boolean> {
    return this.#reading('remove', path, () => {
      const { names } = this.#directory('remove', path);
      if (!names.has(basename(path))) return false;
      return this.#changingNow('remove', path, () => names.delete(basename(path)));
    });
  }

  override list(directory: string): Promise<readonly string[]> {
    return this.#reading('list', directory, () => {
      const found = this.#directories.get(directory);
      if (found === undefined) throw new DiskError('ENOENT', 'list', directory);
      return [...found.names.keys()].sort();
    });
  }

  /** It has none. */
  override async links(): Promise<ReadonlyMap<string, string>> {
    return new Map();
  }

  override listDirectories(directory: string): Promise<readonly string[]> {
    return this.#reading('list', directory, () => {
      const inside = [...this.#directories.keys()].filter((path) => dirname(path) === directory);
      if (inside.length === 0 && !this.#directories.has(directory)) {
        throw new DiskError('ENOENT', 'list', directory);
      }
      return inside.map((path) => basename(path)).sort();
    });
  }

  override makeDirectory(directory: string): Promise<readonly string[]> {
    return this.#reading('make directory', directory, () => {
      if (this.#directories.has(directory)) return [];
      return this.#changingNow('make directory', directory, () => {
        this.#directories.set(directory, { names: new Map(), synced: new Map() });
        return [directory];
      });
    });
  }

  override removeEmptyDirectory(directory: string): Promise<boolean> {
    return this.#reading('remove', directory, () => {
      const found = this.#directories.get(directory);
      const hasInner = [...this.#directories.keys()].some((path) => dirname(path) === directory);
      if (found === undefined || found.names.size > 0 || hasInner) return false;
      return this.#changingNow('remove', directory, () => this.#directories.delete(directory));
    });
  }

  override syncDirectory(directory: string): Promise<void> {
    return this.#changing('sync', directory, () => {
      const found = this.#directories.get(directory);
      if (found === undefined) throw new DiskError('ENOENT', 'sync', directory);
      found.synced.clear();
      for (const [name, inode] of found.names) found.synced.set(name, inode);
    });
  }

  override isStream(): Promise<boolean> {
    return Promise.resolve(false);
  }

  override freeBytes(directory: string): Promise<number> {
    return this.#reading('statfs', directory, () => this.#capacityBytes - this.#usedBytes());
  }

  override removeDirectory(directory: string): Promise<void> {
    return this.#changing('rm', directory, () => {
      for (const path of [...this.#directories.keys()]) {
        if (path === directory || path.startsWith(`${directory}/`)) this.#directories.delete(path);
      }
    });
  }

  override createExclusive(path: string, bytes: Uint8Array): Promise<boolean> {
    return this.#reading('link', path, () => {
      const { names } = this.#directory('link', path);
      if (names.has(basename(path))) return false;
      return this.#changingNow('link', path, () => {
        const inode = new CrashInode();
        inode.write(bytes, 0);
        names.set(basename(path), inode);
        return true;
      });
    });
  }

  override ownIdentity(): Promise<ProcessIdentity> {
    return Promise.resolve({ pid: this.#pid, startTime: '0', bootId: String(this.#boot) });
  }

  override isRunning(identity: ProcessIdentity): Promise<boolean> {
    return Promise.resolve(identity.bootId === String(this.#boot) && identity.pid === this.#pid);
  }

  #file(inode: CrashInode, path: string, isDurable: boolean): DiskFile {
    let isClosed = false;
    const whileOpen = <T>(operation: string, work: () => Promise<T>): Promise<T> =>
      isClosed ? Promise.reject(new DiskError('EBADF', operation, path)) : work();
    const reading = <T>(operation: string, read: () => T): Promise<T> =>
      whileOpen(operation, () => this.#reading(operation, path, read));
    const changing = (operation: string, change: () => void): Promise<void> =>
      whileOpen(operation, () => this.#changing(operation, path, change));
    const sync = (): Promise<void> =>
      changing('sync', () => {
        inode.sync();
      });
    return {
      read: (into, position) => reading('read', () => inode.read(into, position)),
      write: async (bytes, position) => {
        await whileOpen('write', () => this.#write(inode, path, bytes, position));
        if (isDurable) await sync();
      },
      writeNow: (bytes, position) => {
        if (isClosed) throw new DiskError('EBADF', 'write', path);
        if (this.#isDown) throw new DiskError('ECRASH', 'write', path);
        this.#changingNow('write', path, () => this.#take(inode, path, bytes, position));
      },
      truncate: (length) =>
        changing('truncate', () => {
          inode.truncate(length);
        }),
      sync,
      size: () => reading('stat', () => inode.length),
      modifiedMs: () => reading('stat', () => inode.changes),
      close: () =>
        whileOpen('close', () => {
          isClosed = true;
          return Promise.resolve();
        }),
    };
  }

  #write(inode: CrashInode, path: string, bytes: Uint8Array, position: number): Promise<void> {
    return this.#changing('write', path, () => this.#take(inode, path, bytes, position));
  }

  #take(inode: CrashInode, path: string, bytes: Uint8Array, position: number): void {
    const grown = Math.max(0, position + bytes.length - inode.length);
    if (grown > 0 && this.#usedBytes() + grown > this.#capacityBytes)
      throw new DiskError('ENOSPC', 'write', path);
    inode.write(bytes, position);
  }

  get #capacityBytes(): number {
    return this.#plan.capacityBytes ?? Number.MAX_SAFE_INTEGER;
  }

  #usedBytes(): number {
    const inodes = new Set(
      [...this.#directories.values()].flatMap((directory) => [...directory.names.values()]),
    );
    return [...inodes].reduce((sum, inode) => sum + inode.length, 0);
  }

  #directory(operation: string, path: string): Directory {
    const directory = this.#directories.get(dirname(path));
    if (directory === undefined) throw new DiskError('ENOENT', operation, path);
    return directory;
  }

  /** Each name independently: its current state, or its state at the last sync of the directory. */
  #survivingNames(directory: Directory): Map<string, CrashInode> {
    const survivors = new Map<string, CrashInode>();
    for (const name of new Set([...directory.names.keys(), ...directory.synced.keys()])) {
      const inode = (this.#random() < 0.5 ? directory.names : directory.synced).get(name);
      if (inode !== undefined) survivors.set(name, inode);
    }
    return survivors;
  }

  #changing<T>(operation: string, path: string, change: () => T): Promise<T> {
    return this.#reading(operation, path, () => this.#changingNow(operation, path, change));
  }

  #changingNow<T>(operation: string, path: string, change: () => T): T {
    this.#calls++;
    if (this.#calls === this.#plan.failAt?.call) {
      throw new DiskError(this.#plan.failAt.code, operation, path);
    }
    if (this.#calls !== this.#plan.crashAt) return change();
    if (this.#random() < 0.5) change();
    this.#isDown = true;
    throw new DiskError('ECRASH', operation, path);
  }

  #reading<T>(operation: string, path: string, read: () => T): Promise<T> {
    return new Promise((resolve) => {
      if (this.#isDown) throw new DiskError('ECRASH', operation, path);
      resolve(read());
    });
  }
}
