import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Command } from 'commander';
import { commandSettings } from '#platform/cli';
import { logSettings, readEnvironment, YamlDocument } from '#platform/config';
import { type Disk, NodeDisk } from '#platform/disk';
import { errorCodeOf, VERSION } from '#platform/foundation';
import { bootstrap, type BootstrapOptions } from '#platform/http';
import { createLineLog, createLineRelay, Log, type LoggerOptions } from '#platform/observability';
import { AdminServer } from '#proxy/admin';
import { loadProxyConfig, type ProxyConfig, ProxyRunner, ProxySource, warnOf } from '#proxy/engine';
import { proxyAdminApp } from '../proxy-admin-app.module.ts';

/** Prefix of every variable of the program. */
const SETTING_PREFIX = 'PLEXUS_';
/** Settings outside the configuration file. */
const SETTING_TABLE = { ...logSettings(SETTING_PREFIX) };

export function addTo(command: Command): void {
  command.argument('<file>').action((file: string, _options: object, command: Command) => {
    const { logFormat, logLevel } = commandSettings(command, SETTING_TABLE, SETTING_PREFIX);
    return run(file, { format: logFormat, level: logLevel });
  });
}

async function run(file: string, logging: LoggerOptions): Promise<void> {
  const disk = new NodeDisk();
  const environment = readEnvironment();
  const { config } = await loadProxyConfig({ disk, file, environment });
  const lines = createLineLog(logging);
  const server = adminServerOf(config);
  const { workers: count } = config;
  const workers = count === 1 ? undefined : { count, logging, relay: createLineRelay() };
  const app = proxyAdminApp({ file, config, environment, lines, workers, logging, server });
  const definition = { ...app, tracing: { environment, service: 'plexus-proxy' } };
  await bootstrap(definition, {
    listen: listenOptions(config, file, disk),
    reload: (app) => app.get(ProxyRunner).reload(),
    started: async (app, url) => {
      const log = app.get(Log);
      warnOf(config, log);
      const { extensions } = config.admin;
      if (server !== undefined) {
        const fields = { event: 'admin.listening', url, extensions, changes: server.changes };
        log.info(fields, 'admin server listening');
      }
      if (await app.get(ProxyRunner).start()) await announce(app);
    },
  });
}

function adminServerOf({ adminAddress, admin }: ProxyConfig): AdminServer | undefined {
  return adminAddress === undefined ? undefined : new AdminServer(admin, adminAddress);
}

/** Undefined without an admin address. */
function listenOptions(
  { adminAddress: address }: ProxyConfig,
  file: string,
  disk: Disk,
): BootstrapOptions['listen'] {
  if (address === undefined) return undefined;
  return {
    host: address.host,
    port: address.port,
    faultOf: async (error) => {
      const document = YamlDocument.parse(await disk.readText(file), file);
      const message = `admin_address: cannot listen on ${address.text}: ${errorCodeOf(error) ?? ''}`;
      return document.fault(['admin_address'], message);
    },
  };
}

async function announce(app: NestFastifyApplication): Promise<void> {
  const { state, listeners } = await app.get(ProxySource).snapshot();
  const bound = Object.fromEntries(listeners.map(({ name, address }) => [name, address]));
  const fields = { event: 'proxy.running', state, listeners: bound, version: VERSION };
  app.get(Log).info(fields, 'proxy running');
}
