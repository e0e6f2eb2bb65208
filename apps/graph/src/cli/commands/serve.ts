import type { Command } from 'commander';
import { Registry } from 'prom-client';
import { NodeDisk } from '#disk';
import { type InvariantViolation, stopSignal } from '#foundation';
import { Graph } from '#graph';
import { createLogger, type Logger } from '#observability';
import { repairStore } from '#storage';
import { createConnectorRuns, readConnectors } from '../../connectors/connector-service.ts';
import { firstStart } from '../../first-start/first-start.ts';
import { welcomeText } from '../../first-start/welcome.ts';
import { createApp } from '../../http/create-app.ts';
import { QueryService } from '../../http/query/query-service.ts';
import { CommitMetrics } from '../../metrics/graph-metrics.ts';
import { PolicyDesk, type PolicyDeskParts } from '../../policy/policy-desk.ts';
import type { GraphSettings } from '../../settings.ts';
import { VERSION } from '../../version.ts';
import type { CommandContext } from '../command-context.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;

export function addTo(command: Command, context: CommandContext): void {
  command
    .option('--data-dir <path>', 'data directory')
    .option('--host <address>', 'address to listen on')
    .option('--port <number>', 'port, 0 for any')
    .option('--rules <dir>', 'directory of rule files, read again on SIGHUP')
    .option('--connectors <dir>', 'directory of connector files')
    .option('--repair', 'cut a log with a corrupt middle there, and keep a copy')
    .option('--first-start <package-lock.json>', 'load this lock file when the data directory is empty')
    .action(async (options: ServeOptions, command: Command) => {
      await serve(context, context.settingsOf(command), options);
    });
}

interface ServeOptions {
  readonly repair?: boolean;
  readonly firstStart?: string;
}

async function serve(
  { output }: CommandContext,
  settings: GraphSettings,
  { repair = false, firstStart: lockFile }: ServeOptions,
): Promise<void> {
  const logger = createLogger({ format: settings.logFormat, level: settings.logLevel });
  const stopped = settings.rules === '' ? stopSignal() : stopSignal(['SIGTERM', 'SIGINT']);
  const registry = new Registry();
  const configured = await readConnectors(settings.connectors);
  if (repair) await repairLog(settings, logger);
  const graph = await openGraph(settings, logger, registry);
  try {
    const loaded = lockFile === undefined ? undefined : await firstStart(graph, lockFile, logger);
    const onBrokenPromise = (error: InvariantViolation): void => stopped.fail(error);
    const desk = await openDesk({ graph, settings, logger, registry });
    const { policies } = desk;
    const connectors = await createConnectorRuns(graph, configured, logger);
    const app = await createApp({ graph, connectors, policies, settings, logger, registry, onBrokenPromise });
    await app.listen({ host: settings.host, port: settings.port });
    const url = await app.getUrl();
    announce(settings, logger, url);
    connectors.startSchedules();
    if (loaded !== undefined) await output.write(await welcomeText(url, loaded, app.get(QueryService)));
    const signal = await stopped.promise.finally(() => app.close()).finally(() => desk.close());
    logger.info({ event: 'server.stopped', signal }, 'stopped');
  } finally {
    await graph.close();
  }
}

/** With rule files, SIGHUP reads them again. */
async function openDesk(parts: PolicyDeskParts): Promise<PolicyDesk> {
  const desk = await PolicyDesk.open(parts);
  if (parts.settings.rules !== '') process.on('SIGHUP', () => void desk.reload());
  return desk;
}

async function repairLog({ dataDir }: GraphSettings, logger: Logger): Promise<void> {
  const report = await repairStore(new NodeDisk(), dataDir, logger);
  if (report !== undefined) logger.warn({ event: 'wal.repaired', ...report }, 'cut a damaged log');
}

async function openGraph(settings: GraphSettings, logger: Logger, registry: Registry): Promise<Graph> {
  const commits = new CommitMetrics(registry);
  return Graph.open({
    directory: settings.dataDir,
    disk: new NodeDisk(),
    retentionMs: settings.retention,
    log: logger,
    storage: {
      onCommit: (batches, bytes) => {
        commits.commit(batches, bytes);
      },
    },
  });
}

function announce(
  { host, apiKey, publicPages, publicDocs }: GraphSettings,
  logger: Logger,
  url: string,
): void {
  const mode = apiKey === undefined ? 'open' : 'protected';
  const pages = mode === 'open' || publicPages || publicDocs ? 'open' : 'protected';
  logger.info({ event: 'server.listening', url, mode, pages, version: VERSION }, 'listening');
  if (publicDocs) {
    logger.warn(
      { event: 'settings.renamed', was: 'PLEXUS_PUBLIC_DOCS', now: 'PLEXUS_PUBLIC_PAGES' },
      'the setting has another name',
    );
  }
  if (apiKey === undefined && !LOOPBACK.test(host)) {
    logger.warn(
      { event: 'server.open', host },
      'no API key is set: whoever reaches this address may read and write',
    );
  }
}
