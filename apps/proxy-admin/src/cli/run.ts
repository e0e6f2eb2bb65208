import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Command } from 'commander';
import { actingAs, AuditedChanges, openAudit, PROGRAM } from '#platform/audit';
import { openKeys, PROXY_ACCESS } from '#platform/auth';
import { commandSettings } from '#platform/cli';
import { readEnvironment, type Settings, YamlDocument } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import { DomainError, errorCodeOf, VERSION } from '#platform/foundation';
import { bootstrap, type BootstrapOptions } from '#platform/http';
import { createLineLog, createLineRelay, Log, type LoggerOptions } from '#platform/observability';
import { openServingTls } from '#platform/tls';
import { AdminServer, type AdminServerParts } from '#proxy/admin';
import {
  type LoadedConfig,
  loadProxyConfig,
  type ProxyConfig,
  ProxyRunner,
  ProxySource,
  warnOf,
} from '#proxy/engine';
import { readConfigArgument } from './config-argument.ts';
import { proxyAdminApp } from '../proxy-admin-app.module.ts';
import { SETTING_PREFIX, SETTING_TABLE } from '../settings.ts';

export function addTo(command: Command): void {
  command
    .argument('<file|->', 'the configuration; - reads standard input')
    .option('--tls-cert <file>', 'certificate of the admin server; enables TLS')
    .option('--tls-key <file>', 'private key of the certificate')
    .option('--tls-ca <file>', 'CA certificate of clients; requires client certificates')
    .option('--audit <file>', 'file of the audit trail of the admin server, - for standard output')
    .option('--audit-best-effort', 'make changes though the audit trail cannot be written')
    .option('--keys <file>', 'file of named keys with roles for the admin server, read again when it changes')
    .action((path: string, _options: object, command: Command) => {
      return run(path, commandSettings(command, SETTING_TABLE, SETTING_PREFIX));
    });
}

async function run(path: string, settings: Settings<typeof SETTING_TABLE>): Promise<void> {
  const { keys: keysFile, tlsCa: ca, tlsCert: cert, tlsKey: key } = settings;
  const logging: LoggerOptions = { format: settings.logFormat, level: settings.logLevel };
  const disk = new NodeDisk();
  const environment = readEnvironment();
  const { file, text } = await readConfigArgument(disk, path);
  const { config, sources } = await loadProxyConfig({ disk, file, text, environment });
  const lines = createLineLog(logging);
  const keys = await openKeys({ disk, path: keysFile, model: PROXY_ACCESS, apiKey: config.admin.token });
  const tls = await openServingTls(disk, { ca, cert, key });
  const audit = await openAudit(settings);
  const server = adminServerOf(config, { keys: keys?.keyring, tls, audit });
  const { workers: count } = config;
  const workers = count === 1 ? undefined : { count, logging, relay: createLineRelay() };
  const app = proxyAdminApp({
    file,
    text,
    config,
    environment,
    lines,
    workers,
    logging,
    server,
    keys,
    tls,
    audit,
  });
  const definition = { ...app, tracing: { environment, service: 'plexus-proxy' } };
  const changes = new AuditedChanges(audit);
  const run = bootstrap(definition, {
    listen: listenOptions(config, sources),
    reload: async (app) => {
      await keys?.reload(app.get(Log));
      await reloadBySignal(app, changes);
    },
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
  await run.finally(() => audit?.close());
}

function adminServerOf(
  { adminAddress, admin }: ProxyConfig,
  parts: AdminServerParts,
): AdminServer | undefined {
  return adminAddress === undefined ? undefined : new AdminServer(admin, adminAddress, parts);
}

/** Who has sent the signal is not known. */
async function reloadBySignal(app: NestFastifyApplication, changes: AuditedChanges): Promise<void> {
  const change = { target: 'configuration' };
  try {
    await actingAs({ ...PROGRAM, what: 'SIGHUP' }, () =>
      changes.make(
        change,
        () => app.get(ProxyRunner).reload(),
        ({ result }) => result !== 'rejected',
      ),
    );
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    app.get(Log).error({ event: 'proxy.reload_refused', reason: error.message }, 'not reloaded');
  }
}

/** Undefined without an admin address. */
function listenOptions(
  { adminAddress: address }: ProxyConfig,
  { text, file }: Pick<LoadedConfig['sources'], 'text' | 'file'>,
): BootstrapOptions['listen'] {
  if (address === undefined) return undefined;
  return {
    host: address.host,
    port: address.port,
    faultOf: (error) => {
      const message = `admin_address: cannot listen on ${address.text}: ${errorCodeOf(error) ?? ''}`;
      return Promise.resolve(YamlDocument.parse(text, file).fault(['admin_address'], message));
    },
  };
}

async function announce(app: NestFastifyApplication): Promise<void> {
  const { state, listeners } = await app.get(ProxySource).snapshot();
  const bound = Object.fromEntries(listeners.map(({ name, address }) => [name, address]));
  const fields = { event: 'proxy.running', state, listeners: bound, version: VERSION };
  app.get(Log).info(fields, 'proxy running');
}
