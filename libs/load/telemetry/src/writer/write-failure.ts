import { isFullDisk, DiskError } from '#platform/disk';
import { DomainError } from '#platform/foundation';

/** What became of the disk, as callers are told; other errors stay what they are. */
export function writeFailure(error: unknown): Error {
  if (isFullDisk(error)) {
    return new DomainError('NO_DISK_SPACE', 'expected room for telemetry, the disk is full', {
      cause: error,
    });
  }
  if (!(error instanceof DiskError)) return error instanceof Error ? error : new Error(String(error));
  const message = `expected to write telemetry, ${error.operation} failed with ${error.code}`;
  return new DomainError('STORE_UNAVAILABLE', message, { cause: error });
}
