import { join, sep } from 'node:path';
import { type Disk, DiskError, isMissingFile } from '#platform/disk';

const PIECE_BYTES = 65_536;
const FILE_BYTES_MAX = 256 * 1_048_576;
const LINKS_MAX = 40;

/**
 * The files of a machine below a root: that of this machine, or of another one that is mounted. Links, also
 * those of directories, lead to files below the root.
 */
export class HostFiles {
  readonly #disk: Disk;
  /** The links of directories on the way to files, as they were first read. */
  readonly #linksOnWay = new Map<string, Promise<ReadonlyMap<string, string> | undefined>>();
  readonly #root: string;

  constructor(disk: Disk, root: string) {
    this.#disk = disk;
    this.#root = root;
  }

  /** Whether they are those of the machine on which this program runs. */
  get isOwn(): boolean {
    return this.#root === sep;
  }

  /** Where a file is on this machine. */
  async placeOf(path: string): Promise<string> {
    return this.#below(await this.#followed(path));
  }

  /** In bytes. */
  async size(path: string): Promise<number> {
    const file = await this.#disk.open(await this.placeOf(path), 'read');
    try {
      return await file.size();
    } finally {
      await file.close();
    }
  }

  /** The first of the files that exists and may be read; undefined if there is none. */
  async text(...paths: readonly string[]): Promise<string | undefined> {
    for (const path of paths) {
      const bytes = await this.#optional(() => this.bytes(path));
      if (bytes !== undefined) return new TextDecoder().decode(bytes);
    }
    return undefined;
  }

  /** Throws for a file that cannot be read; undefined only if it is missing. */
  async database(path: string): Promise<string | undefined> {
    try {
      return new TextDecoder().decode(await this.bytes(path));
    } catch (error) {
      if (isMissingFile(error)) return undefined;
      throw error;
    }
  }

  /** The files of a directory; throws for one that cannot be read, empty only if it is missing. */
  async databases(directory: string): Promise<readonly string[]> {
    try {
      return await this.#disk.list(await this.placeOf(directory));
    } catch (error) {
      if (isMissingFile(error)) return [];
      throw error;
    }
  }

  /** Throws for a file that is missing or cannot be read. */
  async bytes(path: string): Promise<Uint8Array> {
    const file = await this.#disk.open(await this.placeOf(path), 'read');
    try {
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < FILE_BYTES_MAX;) {
        // The files of /proc have no size.
        const piece = new Uint8Array(PIECE_BYTES);
        const count = await file.read(piece, at);
        if (count === 0) return Buffer.concat(pieces);
        pieces.push(piece.subarray(0, count));
        at += count;
      }
      throw new DiskError('EFBIG', 'read', path);
    } finally {
      await file.close();
    }
  }

  async list(directory: string): Promise<readonly string[]> {
    return (await this.#optional(async () => this.#disk.list(await this.placeOf(directory)))) ?? [];
  }

  async listDirectories(directory: string): Promise<readonly string[]> {
    const found = await this.#optional(async () => this.#disk.listDirectories(await this.placeOf(directory)));
    return found ?? [];
  }

  /** Undefined for a directory that is missing or may not be read. */
  links(directory: string): Promise<ReadonlyMap<string, string> | undefined> {
    return this.#optional(async () => this.#disk.links(await this.placeOf(directory)));
  }

  #below(path: string): string {
    return join(this.#root, path);
  }

  /** The path below the root without links, which would lead out of it where their targets begin with `/`. */
  async #followed(path: string): Promise<string> {
    if (this.isOwn) return path;
    let followed: string = sep;
    let rest = partsOf(path);
    for (let count = 0; count <= LINKS_MAX;) {
      const [name, ...after] = rest;
      if (name === undefined) return followed;
      const target = (await this.#linksIn(followed))?.get(name);
      if (target === undefined) {
        followed = join(followed, name);
        rest = after;
      } else {
        count++;
        if (target.startsWith(sep)) followed = sep;
        rest = [...partsOf(target), ...after];
      }
    }
    throw new DiskError('ELOOP', 'open', path);
  }

  /** Undefined for what is missing, and what others than its owner may not read. */
  #linksIn(directory: string): Promise<ReadonlyMap<string, string> | undefined> {
    const known = this.#linksOnWay.get(directory);
    if (known !== undefined) return known;
    const links = this.#optional(() => this.#disk.links(this.#below(directory)));
    this.#linksOnWay.set(directory, links);
    return links;
  }

  async #optional<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DiskError && UNREADABLE.has(error.code)) return undefined;
      throw error;
    }
  }
}

/** A process may end while its files are read. */
const UNREADABLE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ESRCH', 'EINVAL']);

function partsOf(path: string): readonly string[] {
  return path.split(sep).filter((part) => part !== '' && part !== '.');
}
