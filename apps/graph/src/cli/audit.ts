import type { Command } from 'commander';
import { verifyTrail } from '#platform/audit';
import { UsageError } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import type { CommandContext } from './command-context.ts';
import { wholeNumberFrom } from './whole-number.ts';

interface VerifyFlags {
  readonly from?: number;
}

export function addTo(command: Command, context: CommandContext): void {
  command
    .command('verify')
    .description(
      'check the chain of an audit trail: lines that were removed, changed, moved, added or cut off',
    )
    .argument('[file]', 'file of the trail; default: PLEXUS_AUDIT')
    .option(
      '--from <n>',
      'number of the first event that is expected: earlier files were moved away',
      wholeNumberFrom(1),
    )
    .action(async (file: string | undefined, { from = 1 }: VerifyFlags, command: Command) => {
      const path = file ?? context.settingsOf(command).audit;
      if (path === '' || path === '-') throw new UsageError('expected the file of an audit trail');
      const { events, files, first, last, faults, notices } = await verifyTrail(new NodeDisk(), path, from);
      for (const line of [...notices, ...faults]) await context.output.line(line);
      if (faults.length > 0)
        throw new DomainError('STORE_CORRUPT', `${path}: the audit trail was interfered with`);
      const range = events === 0 ? 'no events' : `events ${first} to ${last.n}`;
      await context.output.line(
        `${range} in ${files} file${files === 1 ? '' : 's'}: whole; last ${last.hash}`,
      );
    });
}
