import { DiskError, isFullDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';

/** Damage not caused by a crash, with file and offset; `plexus wal dump` shows damage of the log. */
export function corruptStore(file: string, offset: number, what: string): DomainError {
  return new DomainError('STORE_CORRUPT', `${what} in ${file} at offset ${offset}`, {
    details: { file, offset },
  });
}

export interface DamagePlace {
  readonly file: string;
  readonly offset: number;
}

/** The position passed to {@link corruptStore}; undefined for any other error. */
export function damageOf(error: unknown): DamagePlace | undefined {
  if (!(error instanceof DomainError) || error.code !== 'STORE_CORRUPT') return undefined;
  const { file, offset } = error.details ?? {};
  return typeof file === 'string' && typeof offset === 'number' ? { file, offset } : undefined;
}

export function tooNewStore(file: string, found: number, known: number): DomainError {
  return new DomainError('STORE_TOO_NEW', `${file} has format ${found}, expected at most ${known}`, {
    details: { file, found, known },
  });
}

export function unavailableStore(reason: string): DomainError {
  return new DomainError('STORE_UNAVAILABLE', `the store takes no writes: ${reason}`);
}

/** Rejects all further writes after a failed one, and says what to do. */
export function poisonedStore(cause: unknown): DomainError {
  const reason = reasonOf(cause);
  if (!isFull(cause)) {
    const message = `the store takes no writes: ${reason}: check the disk, then restart`;
    return new DomainError('STORE_UNAVAILABLE', message, { cause });
  }
  const message = `the store takes no writes: the disk is full (${reason}): free space, then restart`;
  return new DomainError('NO_DISK_SPACE', message, { cause });
}

/** Whether a failure, also one of another thread, is due to a full disk. */
export function isFull(error: unknown): boolean {
  return isFullDisk(error) || (error instanceof DomainError && error.code === 'NO_DISK_SPACE');
}

/** The reason of a failure, without paths of the machine. */
export function reasonOf(error: unknown): string {
  if (error instanceof DiskError) return `${error.operation} failed with ${error.code}`;
  return error instanceof Error ? error.message : String(error);
}
