/** A failed system call. `code` is its errno name: `ENOENT`, `ENOSPC`, `EIO`, `EROFS`, … */
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

/** Whether `error` means that a file or directory does not exist. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof DiskError && error.code === 'ENOENT';
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Whether `error` means that the disk is full, or a quota or a limit of the size of files is exhausted. */
export function isFullDisk(error: unknown): boolean {
  return error instanceof DiskError && FULL.has(error.code);
}
