import type { Command } from 'commander';
import { McpServers, PqlReference } from '#graph/api/mcp';
import { EXIT, failureLine } from '#platform/cli';
import { NodeDisk } from '#platform/disk';
import { stopSignal } from '#platform/foundation';
import type { CommandContext } from './command-context.ts';
import { openAnswers } from './mcp/open-answers.ts';
import { type StdioEnd, StdioSession } from './mcp/stdio-session.ts';
import { commandLog } from './target/command-log.ts';

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
        const { answers, reach, close } = await openAnswers(
          flags.dataDir === undefined ? settings : { ...settings, url: '' },
          log,
        );
        try {
          const isReached = await isReachable(reach);
          const server = new McpServers(answers, new PqlReference(new NodeDisk()), log).create();
          const { stdin: input, stdout: output } = process;
          end = await new StdioSession({ server, input, output }).run(stop.promise);
          // Each request has failed, unless it answers by now.
          if (!isReached && end === 'gone') await reach();
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

/** A client may start before its server: only the person who reads standard error is told. */
async function isReachable(reach: () => Promise<void>): Promise<boolean> {
  try {
    await reach();
    return true;
  } catch (error) {
    console.error(`${failureLine(error)}; requests fail until it does`);
    return false;
  }
}
