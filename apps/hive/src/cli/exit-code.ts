import { CommanderError } from 'commander';
import { DomainError } from '#foundation';

/** What a shell learns of a command. */
export const EXIT = {
  fine: 0,
  failed: 1,
  wrongUsage: 2,
  thresholdMissed: 10,
  violation: 11,
  unknown: 12,
} as const;

/** The command line says something that it cannot mean. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A run has ended, and not well: what has to be said is said. */
export class RunOutcome extends Error {
  override readonly name = 'RunOutcome';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('the run did not pass');
    this.exitCode = exitCode;
  }
}

const USAGE_CODES: readonly string[] = ['INVALID_CONFIG', 'SCENARIO_INVALID'];

/** Commander has already written what it has to say. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.wrongUsage;
  if (error instanceof RunOutcome) return error.exitCode;
  if (error instanceof UsageError) return EXIT.wrongUsage;
  return error instanceof DomainError && USAGE_CODES.includes(error.code) ? EXIT.wrongUsage : EXIT.failed;
}
