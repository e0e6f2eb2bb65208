/** A failed call of the operating system. `code` is its errno name: `ENOENT`, `ENOSPC`, `EIO`, `EROFS`, … */
export class DiskError extends Error {
  override readonly name = 'DiskError';
  readonly code: string;
  readonly operation: string;
  readonly path: string;

  constructor(code: string, operation: string, path: string, cause?: unknown) {
    super(`${operation} failed with ${code} on ${path}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.operation = operation;
    this.path = path;
  }
}

/** Whether `error` says that there is no such file or directory. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof DiskError && error.code === 'ENOENT';
}

/** Whether `error` says that there is no room: on the disk, or within a quota. */
export function isFullDisk(error: unknown): boolean {
  return error instanceof DiskError && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}
