import type { Command } from 'commander';
import { ConnectorRuns } from '#graph/connector';
import { FirstStart } from '#graph/engine';
import { RuleFiles } from '#graph/policy';
import { QueryService } from '#graph/query';
import { isLoopback, VERSION } from '#platform/foundation';
import { bootstrap } from '#platform/http';
import { Log } from '#platform/observability';
import { graphApp } from '../../graph-app.ts';
import type { GraphSettings } from '../../settings.ts';
import type { CommandContext } from '../command-context.ts';
import { welcomeText } from '../welcome.ts';

export function addTo(command: Command, context: CommandContext): void {
  command
    .option('--data-dir <path>', 'data directory')
    .option('--host <address>', 'address to listen on')
    .option('--port <number>', 'port, 0 for any')
    .option('--rules <dir>', 'directory of rule files, read again on SIGHUP')
    .option('--connectors <dir>', 'directory of connector files')
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
      announce(settings, app.get(Log), url);
      app.get(ConnectorRuns).startSchedules();
      const { loaded } = app.get<FirstStart>(FirstStart);
      if (loaded !== undefined) await output.write(await welcomeText(url, loaded, app.get(QueryService)));
    },
  });
}

function announce({ host, apiKey, publicPages, publicDocs }: GraphSettings, log: Log, url: string): void {
  const mode = apiKey === undefined ? 'open' : 'protected';
  const pages = mode === 'open' || publicPages || publicDocs ? 'open' : 'protected';
  log.info({ event: 'server.listening', url, mode, pages, version: VERSION }, 'listening');
  if (publicDocs) {
    log.warn(
      { event: 'settings.renamed', was: 'PLEXUS_PUBLIC_DOCS', now: 'PLEXUS_PUBLIC_PAGES' },
      'the setting has another name',
    );
  }
  if (apiKey === undefined && !isLoopback(host)) {
    log.warn(
      { event: 'server.open', host },
      'no API key is set: whoever reaches this address may read and write',
    );
  }
}
