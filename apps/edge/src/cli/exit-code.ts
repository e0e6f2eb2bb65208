import { CommanderError } from 'commander';
import { DomainError } from '#foundation';

/** What a shell learns of a run. */
export const EXIT = { fine: 0, failed: 1, wrongUsage: 2, evicted: 3 } as const;

/** Commander has already written what it has to say. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.wrongUsage;
  if (!(error instanceof DomainError)) return EXIT.failed;
  if (error.code === 'EDGE_EVICTED') return EXIT.evicted;
  return error.code === 'INVALID_CONFIG' ? EXIT.wrongUsage : EXIT.failed;
}
