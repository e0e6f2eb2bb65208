import { CommanderError } from 'commander';
import { DiskError } from '#platform/disk';
import { DomainError, type ErrorCode, InvariantViolation } from '#platform/foundation';

/** Exit codes of every program; some programs add their own. */
export const EXIT = { ok: 0, failed: 1, wrongUsage: 2 } as const;

/** Exit codes by error code. */
export type ExitCodes = Readonly<Partial<Record<ErrorCode, number>>>;

/** The command line is invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command failed with its own exit code. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;

  /** `message` is printed verbatim; an empty one means that the command has printed everything. */
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

/**
 * The text to print for a failure; undefined when commander has printed it. A defect is printed with its
 * stack.
 */
export function failureText(error: unknown, prefix: string): string | undefined {
  if (error instanceof CommanderError) return undefined;
  if (error instanceof CommandFailure) return error.message === '' ? undefined : error.message;
  if (error instanceof DomainError) return `${prefix}${domainText(error)}`;
  if (error instanceof DiskError) return `${prefix}${diskText(error)}`;
  if (isExpected(error)) return `${prefix}${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** What people do wrong with a file, in words; other codes tell more than words could. */
const DISK_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  EISDIR: 'expected a file, got a directory',
  ENOTDIR: 'expected a directory on the way to it, got a file',
  EACCES: 'its permissions do not allow it',
  EPERM: 'its permissions do not allow it',
};

function diskText({ code, path, operation, message }: DiskError): string {
  const fault = DISK_FAULTS[code];
  return fault === undefined ? message : `${path}: ${fault} (${operation}: ${code})`;
}

/** Several faults are printed one per line below the message. */
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
  // EADDRINUSE and similar system errors.
  return error instanceof UsageError || 'syscall' in error;
}
