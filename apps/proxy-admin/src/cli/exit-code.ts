import { CommanderError } from 'commander';
import { DomainError } from '#foundation';

/** What a shell learns of a run. */
export const EXIT = { fine: 0, failed: 1, wrongUsage: 2 } as const;

/** Commander has already written what it has to say. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.wrongUsage;
  if (error instanceof DomainError && error.code === 'INVALID_CONFIG') return EXIT.wrongUsage;
  return EXIT.failed;
}
