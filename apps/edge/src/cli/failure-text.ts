import { CommanderError } from 'commander';
import { DomainError } from '#foundation';

/** What a person is told of a failed run; nothing when commander has told it. A defect shows its stack. */
export function failureText(error: unknown): string | undefined {
  if (error instanceof CommanderError) return undefined;
  if (error instanceof DomainError) return `plexus-edge: ${error.message}`;
  if (error instanceof Error && 'syscall' in error) return `plexus-edge: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
