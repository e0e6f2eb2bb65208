import { basename, dirname } from 'node:path';
import { Disk, DiskError, type DiskFile, type OpenMode, type ProcessIdentity } from '#platform/disk';

/** A disk with one file, whose content came with a request: a reader of it can open nothing else. */
export class UploadedFile extends Disk {
  readonly path: string;
  readonly #bytes: Uint8Array;

  readonly #onRead: (bytes: number) => void;

  /** `name` may be anything; only its last part counts. `onRead` is told how far the file has been read. */
  constructor(name: string, bytes: Uint8Array, onRead: (bytes: number) => void = () => undefined) {
    super();
    this.path = `/upload/${name.replaceAll(/^.*[/\\]|[^\p{L}\p{N}._ -]/gu, '') || 'file'}`;
    this.#bytes = bytes;
    this.#onRead = onRead;
  }

  override open(path: string, mode: OpenMode): Promise<DiskFile> {
    if (path !== this.path) return refused('ENOENT', 'open', path);
    return mode === 'read'
      ? Promise.resolve(new ReadOnlyFile(path, this.#bytes, this.#onRead))
      : refused('EROFS', 'open', path);
  }

  override isStream(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** Its folder has nothing else: a reader that looks beside the file finds nothing. */
  override list(directory: string): Promise<readonly string[]> {
    if (directory === dirname(this.path)) return Promise.resolve([basename(this.path)]);
    return refused(directory === this.path ? 'ENOTDIR' : 'ENOENT', 'list', directory);
  }

  override listDirectories(directory: string): Promise<readonly string[]> {
    return this.list(directory).then(() => []);
  }

  override links(directory: string): Promise<ReadonlyMap<string, string>> {
    return this.list(directory).then(() => new Map());
  }

  override rename(from: string): Promise<void> {
    return refused('EROFS', 'rename', from);
  }

  override remove(path: string): Promise<boolean> {
    return refused('EROFS', 'remove', path);
  }

  override removeDirectory(directory: string): Promise<void> {
    return refused('EROFS', 'removeDirectory', directory);
  }

  override removeEmptyDirectory(directory: string): Promise<boolean> {
    return refused('EROFS', 'removeEmptyDirectory', directory);
  }

  override makeDirectory(directory: string): Promise<readonly string[]> {
    return refused('EROFS', 'makeDirectory', directory);
  }

  override syncDirectory(directory: string): Promise<void> {
    return refused('EROFS', 'syncDirectory', directory);
  }

  override freeBytes(): Promise<number> {
    return Promise.resolve(0);
  }

  override createExclusive(path: string): Promise<boolean> {
    return refused('EROFS', 'createExclusive', path);
  }

  override ownIdentity(): Promise<ProcessIdentity> {
    return refused('EROFS', 'ownIdentity', this.path);
  }

  override isRunning(): Promise<boolean> {
    return Promise.resolve(false);
  }
}

class ReadOnlyFile implements DiskFile {
  readonly #path: string;
  readonly #bytes: Uint8Array;

  readonly #onRead: (bytes: number) => void;

  constructor(path: string, bytes: Uint8Array, onRead: (bytes: number) => void) {
    this.#path = path;
    this.#bytes = bytes;
    this.#onRead = onRead;
  }

  read(into: Uint8Array, position: number): Promise<number> {
    const part = this.#bytes.subarray(position, position + into.length);
    into.set(part);
    this.#onRead(position + part.length);
    return Promise.resolve(part.length);
  }

  size(): Promise<number> {
    return Promise.resolve(this.#bytes.length);
  }

  modifiedMs(): Promise<number> {
    return Promise.resolve(0);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  write(): Promise<void> {
    return refused('EROFS', 'write', this.#path);
  }

  writeNow(): void {
    throw new DiskError('EROFS', 'writeNow', this.#path);
  }

  truncate(): Promise<void> {
    return refused('EROFS', 'truncate', this.#path);
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }
}

function refused(code: string, operation: string, path: string): Promise<never> {
  return Promise.reject(new DiskError(code, operation, path));
}
