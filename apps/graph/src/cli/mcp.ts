import type { Command } from 'commander';
import { McpServers, PqlReference } from '#graph/api/mcp';
import { EXIT } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { stopSignal } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { GraphSettings } from '../settings.ts';
import type { CommandContext } from './command-context.ts';
import { HttpAnswers } from './mcp/http-answers.ts';
import type { OpenAnswers } from './mcp/local-answers.ts';
import { type StdioEnd, StdioSession } from './mcp/stdio-session.ts';
import { commandLog } from './target/command-log.ts';
import { HttpTarget } from './target/http-target.ts';

export function addTo(command: Command, context: CommandContext): void {
  command
    .option('--url <url>', 'URL of a running server')
    .option('--tls-ca <file>', 'CA certificate of the server')
    .option('--data-dir <path>', 'data directory')
    .option('--rules <dir>', 'directory of rule files, with --data-dir')
    .action(async (flags: { dataDir?: string }, command: Command) => {
      const settings = context.settingsOf(command);
      const log = commandLog(settings);
      // Registered before the store opens: the client may disconnect meanwhile.
      const stop = stopSignal();
      let end: StdioEnd | undefined;
      try {
        const { answers, close } = await openAnswers(settings, log, flags.dataDir !== undefined);
        try {
          const server = new McpServers(answers, new PqlReference(new NodeDisk()), log).create();
          const { stdin: input, stdout: output } = process;
          end = await new StdioSession({ server, input, output }).run(stop.promise);
        } finally {
          await close();
        }
      } finally {
        stop.close();
      }
      // Unread output would keep the process alive.
      if (end === 'stalled') process.exit(EXIT.failed);
    });
}

/** Answers of the server in the settings, or of the data directory, which a flag can select. */
async function openAnswers(settings: GraphSettings, log: Log, isOfDirectory: boolean): Promise<OpenAnswers> {
  if (settings.url !== '' && !isOfDirectory) {
    const target = new HttpTarget(settings);
    return { answers: new HttpAnswers(target), close: () => target.close() };
  }
  const { openLocalAnswers } = await import('./mcp/local-answers.ts');
  return openLocalAnswers(settings, log);
}
