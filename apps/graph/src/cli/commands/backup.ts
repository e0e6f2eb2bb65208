import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { LocalTarget } from '../target/local-target.ts';
import { commandLog } from '../target/open-target.ts';

export function addBackup(program: Command, context: CommandContext): void {
  program
    .command('backup')
    .description('copy the store of a data directory that no server holds')
    .argument('<dir>', 'new or empty directory')
    .option('--data-dir <path>', 'data directory')
    .action(async (directory: string, _flags: unknown, command: Command) => {
      const settings = context.settingsOf(command);
      const target = await LocalTarget.open(settings, commandLog(settings));
      try {
        await target.backup(directory);
      } finally {
        await target.close();
      }
      await context.output.line(directory);
    });
}
