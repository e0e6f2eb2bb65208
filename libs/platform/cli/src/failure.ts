import { CommanderError } from 'commander';
import { DiskError } from '#platform/disk';
import { DomainError, type ErrorCode, InvariantViolation } from '#platform/foundation';

/** What a shell learns of every program; some have codes of their own beside these. */
export const EXIT = { ok: 0, failed: 1, wrongUsage: 2 } as const;

/** Codes of the command line's exit, by the code of an expected failure. */
export type ExitCodes = Readonly<Partial<Record<ErrorCode, number>>>;

/** The command line says something that it cannot mean. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command has failed with an exit code of its own. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;

  /** `message` is printed as it is; without one, all has been printed. */
  constructor(exitCode: number, message = '') {
    super(message);
    this.exitCode = exitCode;
  }
}

export function exitCodeOf(error: unknown, codes: ExitCodes): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.wrongUsage;
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof UsageError) return EXIT.wrongUsage;
  if (!(error instanceof DomainError)) return EXIT.failed;
  return error.code === 'INVALID_CONFIG' ? EXIT.wrongUsage : (codes[error.code] ?? EXIT.failed);
}

/** What is printed of a failure; nothing when commander has printed it. A defect shows its stack. */
export function failureText(error: unknown, prefix: string): string | undefined {
  if (error instanceof CommanderError) return undefined;
  if (error instanceof CommandFailure) return error.message === '' ? undefined : error.message;
  if (error instanceof DomainError) return `${prefix}${domainText(error)}`;
  if (isExpected(error)) return `${prefix}${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Several faults stand one on a line, below what they are faults of. */
function domainText({ message, details }: DomainError): string {
  const faults: unknown = details?.['faults'];
  if (!Array.isArray(faults) || faults.length < 2) return message;
  const listed = faults.join('; ');
  if (!message.endsWith(listed)) return message;
  const subject = message.slice(0, message.length - listed.length).trimEnd();
  return [subject, ...faults.map((fault) => `  ${fault}`)].join('\n');
}

function isExpected(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof InvariantViolation) return false;
  // EADDRINUSE and its like.
  return error instanceof UsageError || error instanceof DiskError || 'syscall' in error;
}
