import type { Command } from 'commander';
import { HiveGrpcServer } from '#load/protocol';
import { openAudit } from '#platform/audit';
import { Admission, HIVE_ACCESS, openKeys, warnOfAccess } from '#platform/auth';
import { readEnvironment } from '#platform/config';
import { type Disk, NodeDisk } from '#platform/disk';
import { DomainError, isLoopback, VERSION } from '#platform/foundation';
import { bootstrap } from '#platform/http';
import { Log } from '#platform/observability';
import { ServingTls } from '#platform/tls';
import { hiveApp } from '../hive-app.module.ts';
import { type HiveAppSettings, SETTING_PREFIX } from '../settings.ts';
import { settingsOf } from './settings-of.ts';

export function addTo(command: Command): void {
  command
    .option('--data-dir <path>', 'data directory')
    .option('--host <address>', 'HTTP listen address')
    .option('--http-port <number>', 'HTTP port, 0 for any free port')
    .option('--grpc-host <address>', 'gRPC listen address for edges')
    .option('--grpc-port <number>', 'gRPC port, 0 for any free port')
    .option('--keys <file>', 'file of named keys with roles, of edges too; read again when it changes')
    .option('--audit <file>', 'file of the audit trail, - for standard output')
    .option('--audit-best-effort', 'make changes though the audit trail cannot be written')
    .option('--tls-ca <file>', 'CA certificate of the edges; requires client certificates')
    .option('--tls-cert <file>', 'certificate of the hive')
    .option('--tls-key <file>', 'private key of the hive')
    .action((_options: object, command: Command) => serve(settingsOf(command)));
}

/** Runs the hive until a signal. */
async function serve(settings: HiveAppSettings): Promise<void> {
  const disk = new NodeDisk();
  const tls = await readTlsFiles(disk, settings);
  const { apiKey } = settings;
  const keys = await openKeys({ disk, path: settings.keys, model: HIVE_ACCESS, apiKey });
  const audit = await openAudit(settings);
  const environment = readEnvironment();
  const tracing = { environment, service: 'plexus-hive' };
  const run = bootstrap(
    { ...hiveApp({ settings, environment, tls, keys, audit }), tracing, metricsExport: tracing },
    {
      listen: { host: settings.host, port: settings.httpPort },
      ...(keys !== undefined && { reload: (app) => keys.reload(app.get(Log)) }),
      started: (app, url = '') => {
        const log = app.get(Log);
        const { grpcHost } = settings;
        const isTls = tls !== undefined;
        const grpc = `${grpcHost}:${app.get(HiveGrpcServer).boundPort ?? 0}`;
        const { mode, pages } = app.get(Admission).modes;
        log.info(
          { event: 'server.listening', url, grpc, mode, pages, tls: isTls, version: VERSION },
          'listening',
        );
        warnOfAccess({ ...settings, keys: keys?.keyring }, log, {
          prefix: SETTING_PREFIX,
          risk: 'start load',
        });
        if (!isTls && keys === undefined && !isLoopback(grpcHost)) {
          log.warn(
            { event: 'grpc.open', host: grpcHost },
            'neither certificates nor keys: every program that can reach this address can register as an edge',
          );
        }
      },
    },
  );
  await run.finally(() => audit?.close());
}

/** Undefined without configured certificates. Throws INVALID_CONFIG if only some of the files are set. */
export async function readTlsFiles(
  disk: Disk,
  { tlsCa, tlsCert, tlsKey }: HiveAppSettings,
): Promise<ServingTls | undefined> {
  const paths = [tlsCa, tlsCert, tlsKey];
  if (paths.every((path) => path === '')) return undefined;
  if (paths.includes('')) {
    throw new DomainError('INVALID_CONFIG', 'expected all of --tls-ca, --tls-cert and --tls-key, or none');
  }
  return ServingTls.open(disk, { ca: tlsCa, cert: tlsCert, key: tlsKey });
}
