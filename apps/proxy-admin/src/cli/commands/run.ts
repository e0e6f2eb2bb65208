import type { Command } from 'commander';
import { parseSettings, readEnvironment, YamlDocument } from '#config';
import { type Disk, NodeDisk } from '#disk';
import { DomainError } from '#foundation';
import { createLineLog, createLogger, type LineLog, type Logger } from '#observability';
import { loadProxyConfig, type ProxyConfig } from '#proxy';
import { errorCodeOf } from '#web';
import { type RunningAdmin, startAdmin } from '../../http/start-admin.ts';
import { createEngine, type Engine } from '../../life/engine.ts';
import { logEvents } from '../../life/log-events.ts';
import { obeySignals } from '../../life/obey-signals.ts';
import { ProxyLife } from '../../life/proxy-life.ts';
import { type ProxySettings, SETTING_PREFIX, SETTING_TABLE } from '../../settings.ts';
import { VERSION } from '../../version.ts';

export function addRun(program: Command): void {
  program
    .command('run <file>')
    .description('run the proxy until SIGTERM, which drains it; SIGHUP reads the configuration again')
    .action(async (file: string, _options: object, command: Command) => {
      const environment = readEnvironment();
      const flags = command.optsWithGlobals<{ logFormat?: string }>();
      const settings = parseSettings(SETTING_TABLE, { environment, flags, prefix: SETTING_PREFIX });
      await run({ file, disk: new NodeDisk(), environment, ...logsOf(settings) });
    });
}

interface RunParts {
  readonly file: string;
  readonly disk: Disk;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** For access logs. */
  readonly lines: LineLog | undefined;
}

async function run(parts: RunParts): Promise<void> {
  const { logger } = parts;
  const { config } = await loadProxyConfig(parts);
  for (const warning of config.warnings) logger.warn({ event: 'config.warning', warning }, 'see to this');
  const engine = createEngine({ ...parts, config, log: logger });
  const life = new ProxyLife(engine, config, logger);
  logEvents(engine.source, logger);
  const admin = await openAdmin(parts, config, { engine, life });
  const disobey = obeySignals(life);
  try {
    await life.start();
    await announce(engine, logger);
    const cut = await life.ended;
    logger.info({ event: 'proxy.stopped', ...cut }, 'stopped');
  } catch (error) {
    await engine.stop();
    throw error;
  } finally {
    disobey();
    await admin?.close();
  }
}

/** Undefined without an address for it. */
async function openAdmin(
  { file, disk, logger }: RunParts,
  { adminAddress: address, admin }: ProxyConfig,
  { engine: { source }, life }: { readonly engine: Engine; readonly life: ProxyLife },
): Promise<RunningAdmin | undefined> {
  if (address === undefined) return undefined;
  return startAdmin({ address, admin, source, life, logger }).catch(async (error: unknown) => {
    const code = errorCodeOf(error);
    if (error instanceof DomainError || code === undefined) throw error;
    const document = YamlDocument.parse(await disk.readText(file), file);
    throw document.fault(['admin_address'], `admin_address: cannot listen on ${address.text}: ${code}`);
  });
}

async function announce({ source }: Engine, logger: Logger): Promise<void> {
  const { state, listeners } = await source.snapshot();
  const bound = Object.fromEntries(listeners.map(({ name, address }) => [name, address]));
  logger.info({ event: 'proxy.running', state, listeners: bound, version: VERSION }, 'the proxy runs');
}

function logsOf({ logFormat, logLevel }: ProxySettings): Pick<RunParts, 'logger' | 'lines'> {
  const options = { format: logFormat, level: logLevel };
  return { logger: createLogger(options), lines: createLineLog(options) };
}
