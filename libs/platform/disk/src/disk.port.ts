import { DomainError, lineOfInvalidByte, utf8Text } from '#platform/foundation';
import { isMissingFile } from './disk-error.ts';

/** Opens an existing file to read, an existing file to read and write, or a new empty file. */
export type OpenMode = 'read' | 'write' | 'create';

export interface OpenOptions {
  /** Each write is durable once it resolves, without a separate sync (`O_DSYNC`). */
  readonly isDurable?: boolean;
}

/** An open file. All positions and lengths are bytes; every method may reject with `DiskError`. */
export interface DiskFile {
  /**
   * Fills `into` from `position`; returns the number of bytes read, which is short only at the end of the
   * file.
   */
  read(into: Uint8Array, position: number): Promise<number>;
  /**
   * Writes all of `bytes` at `position`, extending the file. Durable only after {@link DiskFile.sync}, unless
   * the file was opened with `isDurable`; after a rejection the content of such a file is unknown.
   */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /**
   * The same before it returns, for a short text that must be in the file before the next statement. Throws
   * `DiskError`; then the file ends at `position`. Durable only after {@link DiskFile.sync}.
   */
  writeNow(bytes: Uint8Array, position: number): void;
  /** Cuts the file, or extends it with zeros. Durable only after {@link DiskFile.sync}. */
  truncate(length: number): Promise<void>;
  /**
   * Makes content and length durable (`fdatasync`). After a rejection the content is unknown: do not retry.
   */
  sync(): Promise<void>;
  size(): Promise<number>;
  /** Time of the last change of the content: milliseconds since 1970, in the resolution of the system. */
  modifiedMs(): Promise<number>;
  /** Call it once. Later calls reject with `EBADF`, because the descriptor may be reused for another file. */
  close(): Promise<void>;
}

/** Identifies a process forever: a pid is reused, a pid with its start time and boot is not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; undefined where the system does not report it. */
  readonly startTime: string | undefined;
  /** Opaque; changes with every boot of the machine; undefined where the system does not report it. */
  readonly bootId: string | undefined;
}

/**
 * The part of a file system that a database needs. Paths are absolute or relative to the working directory.
 * Creations, renames and removals are durable only after {@link Disk.syncDirectory} on the directory.
 */
export abstract class Disk {
  /**
   * `create` fails with `EEXIST` when the file exists; the other modes fail with `ENOENT` when it does not.
   */
  abstract open(path: string, mode: OpenMode, options?: OpenOptions): Promise<DiskFile>;
  /** Replaces `to` atomically. Both paths are in the same directory. */
  abstract rename(from: string, to: string): Promise<void>;
  /** Removes a file; returns false when it does not exist. An open file stays readable through its handle. */
  abstract remove(path: string): Promise<boolean>;
  /** Names of the files in a directory, sorted; `ENOENT` when it is missing. */
  abstract list(directory: string): Promise<readonly string[]>;
  /** Names of the directories in a directory, sorted; `ENOENT` when it is missing. */
  abstract listDirectories(directory: string): Promise<readonly string[]>;
  /** The targets of the symbolic links in a directory, as stored, by name; `ENOENT` when it is missing. */
  abstract links(directory: string): Promise<ReadonlyMap<string, string>>;
  /** Removes a directory and its content; no error when it does not exist. */
  abstract removeDirectory(directory: string): Promise<void>;
  /** Removes a directory; returns false, and changes nothing, when it is missing or has content. */
  abstract removeEmptyDirectory(directory: string): Promise<boolean>;
  /**
   * Creates a directory and its missing parents, durably; no error when it exists. Returns those that it has
   * created, outermost first. A failure leaves none of them.
   */
  abstract makeDirectory(directory: string): Promise<readonly string[]>;
  abstract syncDirectory(directory: string): Promise<void>;
  /**
   * Whether a path is of a pipe or a device: it may have to be waited for, and can be read only once. False
   * where that is unknown: reading it reports why.
   */
  abstract isStream(path: string): Promise<boolean>;
  /** Bytes that can currently be written in this directory; other processes may use them too. */
  abstract freeBytes(directory: string): Promise<number>;
  /**
   * Creates a file with the content `bytes` atomically; returns false when the name exists. Of several
   * processes that try at once, exactly one gets true.
   */
  abstract createExclusive(path: string, bytes: Uint8Array): Promise<boolean>;
  /** Identity of this process. */
  abstract ownIdentity(): Promise<ProcessIdentity>;
  /** Whether exactly this process still runs, as far as the system reports it. */
  abstract isRunning(identity: ProcessIdentity): Promise<boolean>;

  /** Names of the directories in a directory, sorted; none when it is missing. */
  async directoriesIfThere(directory: string): Promise<readonly string[]> {
    try {
      return await this.listDirectories(directory);
    } catch (error) {
      if (isMissingFile(error)) return [];
      throw error;
    }
  }

  /** The whole content of a file. */
  async readBytes(path: string): Promise<Uint8Array> {
    const file = await this.open(path, 'read');
    try {
      const bytes = new Uint8Array(await file.size());
      return bytes.subarray(0, await file.read(bytes, 0));
    } finally {
      await file.close();
    }
  }

  /** The whole content of a file. Throws INVALID_CONFIG with the line if it is not UTF-8. */
  async readText(path: string): Promise<string> {
    const bytes = await this.readBytes(path);
    const text = utf8Text(bytes);
    if (text !== undefined) return text;
    throw new DomainError('INVALID_CONFIG', `${path}:${lineOfInvalidByte(bytes)}: expected UTF-8`);
  }

  /**
   * JSON of a file that its program can make again, such as a cache: undefined if the file is missing, or is
   * damaged (ADR 0604). It is not checked further.
   */
  async readJsonIfSound(path: string): Promise<unknown> {
    try {
      return JSON.parse(utf8Text(await this.readBytes(path)) ?? '');
    } catch (error) {
      if (error instanceof SyntaxError || isMissingFile(error)) return undefined;
      throw error;
    }
  }

  /** Like {@link readText}, with replacement characters: for files that are only searched for known words. */
  async readLooseText(path: string): Promise<string> {
    return new TextDecoder().decode(await this.readBytes(path));
  }

  /** Writes a new file and makes its content durable; its name is durable after {@link syncDirectory}. */
  async writeNew(path: string, bytes: Uint8Array): Promise<void> {
    const file = await this.open(path, 'create');
    try {
      await file.write(bytes, 0);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}
