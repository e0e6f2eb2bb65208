import { type Command, InvalidArgumentError } from 'commander';
import { type Output, UsageError } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { countedText, DomainError } from '#platform/foundation';
import { verifyTrail } from '../verify-trail.ts';

export interface AuditCommandParts {
  /** The variable that names the file where the argument does not. */
  readonly variable: string;
  readonly output: Output;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface VerifyFlags {
  readonly from?: number;
}

/** Adds `verify`. */
export function addAuditTo(command: Command, { variable, output, environment }: AuditCommandParts): void {
  command
    .command('verify')
    .description(
      'check the chain of an audit trail: lines that were removed, changed, moved, added or cut off',
    )
    .argument('[file]', `file of the trail; default: ${variable}`)
    .option(
      '--from <n>',
      'number of the first event that is expected: earlier files were moved away',
      eventNumber,
    )
    .action(async (file: string | undefined, { from = 1 }: VerifyFlags) => {
      const path = file ?? environment[variable] ?? '';
      if (path === '' || path === '-') throw new UsageError('expected the file of an audit trail');
      const { events, files, first, last, faults, notices } = await verifyTrail(new NodeDisk(), path, from);
      for (const line of [...notices, ...faults]) await output.line(line);
      if (faults.length > 0)
        throw new DomainError('STORE_CORRUPT', `${path}: the audit trail was interfered with`);
      const range = events === 0 ? 'no events' : `events ${first} to ${last.n}`;
      await output.line(`${range} in ${countedText(files, 'file')}: whole; last ${last.hash}`);
    });
}

function eventNumber(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('expected a whole number from 1');
}
