import type { Command } from 'commander';
import { UsageError } from '#platform/cli';
import type { CommandContext } from './command-context.ts';
import { HttpTarget } from './target/http-target.ts';

interface ChangesFlags {
  readonly from?: string;
  readonly class?: string;
  readonly query?: string;
  readonly follow?: true;
}

export function addTo(command: Command, context: CommandContext): void {
  command
    .option(
      '--from <place>',
      'changes after this: a sequence number, or the id of a change; default: from now on',
    )
    .option('--class <name>', 'only changes of entities with this class, type or label')
    .option('--query <pql>', 'only changes of entities that it selects, as they were or are')
    .option('--follow', 'go on with later changes until interrupted')
    .option('--url <url>', 'URL of the server')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .action(async ({ from, class: className, query, follow }: ChangesFlags, command: Command) => {
      const settings = context.settingsOf(command);
      if (settings.url === '') throw new UsageError('--url: expected the URL of a running server');
      const { output } = context;
      const asked = { from, class: className, query, follow: follow && 'true' };
      for await (const piece of new HttpTarget(settings).changes(asked)) {
        if (output.isGone) return;
        await output.write(piece);
      }
    });
}
