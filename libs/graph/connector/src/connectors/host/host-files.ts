import { dirname, join, normalize, sep } from 'node:path';
import { type Disk, DiskError, isMissingFile } from '#platform/disk';

const PIECE_BYTES = 65_536;
const FILE_BYTES_MAX = 256 * 1_048_576;
const LINKS_MAX = 8;

/**
 * The files of a machine below a root: that of this machine, or of another one that is mounted. A link with
 * an absolute target leads to a file below the root.
 */
export class HostFiles {
  readonly #disk: Disk;
  readonly #root: string;

  constructor(disk: Disk, root: string) {
    this.#disk = disk;
    this.#root = root;
  }

  /** Whether they are those of the machine on which this program runs. */
  get isOwn(): boolean {
    return this.#root === sep;
  }

  /** The path below the root. */
  pathOf(path: string): string {
    return join(this.#root, path);
  }

  /** The first of the files that exists and may be read; undefined if there is none. */
  async text(...paths: readonly string[]): Promise<string | undefined> {
    for (const path of paths) {
      const bytes = await this.#optional(() => this.#bytes(path));
      if (bytes !== undefined) return new TextDecoder().decode(bytes);
    }
    return undefined;
  }

  /** Throws for a file that cannot be read; undefined only if it is missing. */
  async database(path: string): Promise<string | undefined> {
    try {
      return new TextDecoder().decode(await this.#bytes(path));
    } catch (error) {
      if (isMissingFile(error)) return undefined;
      throw error;
    }
  }

  async list(directory: string): Promise<readonly string[]> {
    return (await this.#optional(() => this.#disk.list(this.pathOf(directory)))) ?? [];
  }

  async listDirectories(directory: string): Promise<readonly string[]> {
    return (await this.#optional(() => this.#disk.listDirectories(this.pathOf(directory)))) ?? [];
  }

  /** Undefined for a directory that is missing or may not be read. */
  links(directory: string): Promise<ReadonlyMap<string, string> | undefined> {
    return this.#optional(() => this.#disk.links(this.pathOf(directory)));
  }

  async #bytes(path: string): Promise<Uint8Array> {
    const file = await this.#disk.open(this.pathOf(await this.#followed(path)), 'read');
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

  /** The target of links in the last part of the path. */
  async #followed(path: string): Promise<string> {
    if (this.isOwn) return path;
    let followed = path;
    for (let count = 0; count < LINKS_MAX; count++) {
      const links = await this.links(dirname(followed));
      const target = links?.get(followed.slice(followed.lastIndexOf('/') + 1));
      if (target === undefined) return followed;
      followed = normalize(target.startsWith('/') ? target : join(dirname(followed), target));
    }
    throw new DiskError('ELOOP', 'open', path);
  }

  /** Undefined for what is missing, and what others than its owner may not read. */
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
