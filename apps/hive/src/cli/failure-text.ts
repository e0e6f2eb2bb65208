import { CommanderError } from 'commander';
import { DiskError } from '#disk';
import { DomainError } from '#foundation';
import { RunOutcome, UsageError } from './exit-code.ts';

/** What a person is told of a failure; nothing when it has been told. A defect shows its stack. */
export function failureText(error: unknown): string | undefined {
  if (error instanceof CommanderError || error instanceof RunOutcome) return undefined;
  if (error instanceof DomainError) return domainText(error);
  const isExpected = error instanceof UsageError || error instanceof DiskError || isSystemError(error);
  if (isExpected) return `plexus-hive: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Several faults are told one a line. */
function domainText({ message, details }: DomainError): string {
  const faults: unknown = details?.['faults'];
  if (!Array.isArray(faults) || faults.length < 2) return `plexus-hive: ${message}`;
  return ['plexus-hive: the scenario is not what it should be:', ...faults.map((fault) => `  ${fault}`)].join(
    '\n',
  );
}

/** EADDRINUSE and its like. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}
