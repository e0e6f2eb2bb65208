/** How a file is opened: an existing one to read, an existing one to read and write, or a new empty one. */
export type OpenMode = 'read' | 'write' | 'create';

export interface OpenOptions {
  /** Each write is durable once it resolves, as if a sync followed it: one call of the system. */
  readonly isDurable?: boolean;
}

/** One open file. All positions and lengths are bytes; every method may reject with `DiskError`. */
export interface DiskFile {
  /**
   * Fills `into` from `position`; gives the number of bytes read, which is short only at the end of the
   * file.
   */
  read(into: Uint8Array, position: number): Promise<number>;
  /**
   * Writes all of `bytes` at `position`, extending the file. Durable only after {@link DiskFile.sync}, unless
   * the file was opened so that each write is; after a rejection such a file's content is unknown.
   */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Cuts the file, or extends it with zeros. Durable only after {@link DiskFile.sync}. */
  truncate(length: number): Promise<void>;
  /**
   * Makes content and length durable (`fdatasync`). After a rejection the content is unknown: do not retry.
   */
  sync(): Promise<void>;
  size(): Promise<number>;
  /** When its content was last changed: milliseconds since 1970, as finely as the system tells. */
  modifiedMs(): Promise<number>;
  /** Once: whatever comes after rejects with `EBADF`, for the descriptor may be another file's by then. */
  close(): Promise<void>;
}

/** Names a process for ever: a pid is reused, a pid with its start time and boot is not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; undefined where the system does not tell. */
  readonly startTime: string | undefined;
  /** Opaque; changes with every boot of the machine; undefined where the system does not tell. */
  readonly bootId: string | undefined;
}

/**
 * The file system, as far as a database needs it. Paths are absolute or relative to the working directory.
 * Creating, renaming and removing is durable only after {@link Disk.syncDirectory} on the directory.
 */
export abstract class Disk {
  /** `create` fails with `EEXIST` when the file is there; the other modes with `ENOENT` when it is not. */
  abstract open(path: string, mode: OpenMode, options?: OpenOptions): Promise<DiskFile>;
  /** Replaces `to` atomically. Both lie in the same directory. */
  abstract rename(from: string, to: string): Promise<void>;
  /**
   * Removes a file; gives false when there is none. A file that is open stays readable through its handle.
   */
  abstract remove(path: string): Promise<boolean>;
  /** Names of the files in a directory, sorted; `ENOENT` when it is missing. */
  abstract list(directory: string): Promise<readonly string[]>;
  /** Names of the directories in a directory, sorted; `ENOENT` when it is missing. */
  abstract listDirectories(directory: string): Promise<readonly string[]>;
  /** Removes a directory with all that is in it; no error when there is none. */
  abstract removeDirectory(directory: string): Promise<void>;
  /** Makes a directory and its parents, durably; no error when it is there. */
  abstract makeDirectory(directory: string): Promise<void>;
  abstract syncDirectory(directory: string): Promise<void>;
  /** Bytes that can still be written to files in this directory, now; others may write there too. */
  abstract freeBytes(directory: string): Promise<number>;
  /**
   * Makes a file that holds `bytes` from its first instant, or gives false when there is one of that name.
   * Of several processes that try at once, exactly one gets true. With `owner` nobody else may read it.
   */
  abstract createExclusive(path: string, bytes: Uint8Array, readers?: 'owner'): Promise<boolean>;
  /** This process. */
  abstract ownIdentity(): Promise<ProcessIdentity>;
  /** Whether that very process still runs, to the best knowledge of the system. */
  abstract isRunning(identity: ProcessIdentity): Promise<boolean>;

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

  /** The whole content of a file, as UTF-8. */
  async readText(path: string): Promise<string> {
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
