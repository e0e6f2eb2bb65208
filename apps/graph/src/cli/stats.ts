import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { openTarget } from './target/open-target.ts';

export function addTo(command: Command, context: CommandContext): void {
  command
    .option('--url <url>', 'URL of a running server')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .option('--data-dir <path>', 'data directory')
    .action(async (_flags: unknown, command: Command) => {
      const target = await openTarget(context.settingsOf(command));
      try {
        await context.output.line(JSON.stringify(await target.stats(), null, 2));
      } finally {
        await target.close();
      }
    });
}
