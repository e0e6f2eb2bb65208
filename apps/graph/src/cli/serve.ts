import type { Command } from 'commander';
import { ConnectorRuns } from '#graph/connector';
import { FirstStart } from '#graph/engine';
import { RuleFiles } from '#graph/policy';
import { QueryService } from '#graph/query';
import { Admission, warnOfAccess } from '#platform/auth';
import { VERSION } from '#platform/foundation';
import { bootstrap } from '#platform/http';
import { Log } from '#platform/observability';
import { graphApp } from '../graph-app.module.ts';
import { type GraphSettings, SETTING_PREFIX } from '../settings.ts';
import type { CommandContext } from './command-context.ts';
import { welcomeText } from './welcome.ts';

export function addTo(command: Command, context: CommandContext): void {
  command
    .option('--data-dir <path>', 'data directory')
    .option('--host <address>', 'address to listen on')
    .option('--port <number>', 'port, 0 for any')
    .option('--rules <dir>', 'directory of rule files, read again on SIGHUP')
    .option('--connectors <dir>', 'directory of connector files')
    .option('--notifications <path>', 'file or directory of notification files')
    .option('--repair', 'cut a log with a corrupt middle there, and keep a copy')
    .option('--first-start <package-lock.json>', 'load this lock file when the data directory is empty')
    .action((options: ServeOptions, command: Command) =>
      serve(context, context.settingsOf(command), options),
    );
}

interface ServeOptions {
  readonly repair?: boolean;
  readonly firstStart?: string;
}

async function serve(
  { output }: CommandContext,
  settings: GraphSettings,
  { repair = false, firstStart }: ServeOptions,
): Promise<void> {
  const { host, port, rules } = settings;
  await bootstrap(graphApp({ settings, repair, firstStart }), {
    listen: { host, port },
    ...(rules !== '' && { reload: (app) => app.get(RuleFiles).reload() }),
    started: async (app, url = '') => {
      const log = app.get(Log);
      const fields = { event: 'server.listening', url, ...app.get(Admission).modes, version: VERSION };
      log.info(fields, 'listening');
      warnOfAccess(settings, log, { prefix: SETTING_PREFIX, risk: 'read and write' });
      app.get(ConnectorRuns).startSchedules();
      const { loaded } = app.get<FirstStart>(FirstStart);
      if (loaded !== undefined) await output.write(await welcomeText(url, loaded, app.get(QueryService)));
    },
  });
}
