import { DiskError } from '#disk';
import { CommanderError } from 'commander';
import { DomainError, InvariantViolation } from '#foundation';
import { UsageError } from './exit-code.ts';
import { IngestFailure } from './ingest-failure.ts';

/** What a person is told of a failed run; nothing when commander has told it. A defect shows its stack. */
export function failureText(error: unknown): string | undefined {
  if (error instanceof CommanderError) return undefined;
  if (error instanceof DomainError || error instanceof UsageError || error instanceof DiskError) {
    return `plexus: ${error.message}`;
  }
  if (error instanceof IngestFailure) return error.message;
  if (error instanceof InvariantViolation || !isSystemError(error)) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  return `plexus: ${error.message}`;
}

/** EADDRINUSE and its like. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}
