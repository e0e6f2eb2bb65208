import type { INestApplication } from '@nestjs/common';
import type { Command } from 'commander';
import { ConnectorSchedules } from '#graph/connector';
import { FirstStart } from '#graph/engine';
import { RuleFiles } from '#graph/policy';
import { QueryService } from '#graph/query';
import { Admission, warnOfAccess } from '#platform/auth';
import { UsageError } from '#platform/cli';
import { readEnvironment } from '#platform/config';
import { type Disk, NodeDisk } from '#platform/disk';
import { DomainError, VERSION } from '#platform/foundation';
import type { ServerTls } from '#platform/grpc';
import { bootstrap } from '#platform/http';
import { Log } from '#platform/observability';
import { graphApp } from '../graph-app.module.ts';
import { type GraphSettings, SETTING_PREFIX } from '../settings.ts';
import type { CommandContext } from './command-context.ts';
import { welcomeText } from './welcome.ts';

export function addTo(command: Command, context: CommandContext): void {
  command
    .option('--data-dir <path>', 'data directory')
    .option(
      '--store <url>',
      'shared store instead of a data directory: postgres://user@host:port,host:port/database',
    )
    .option('--store-schema <name>', 'schema of the tables of the shared store')
    .option('--cache-dir <path>', 'directory of the local copy of a shared store')
    .option('--host <address>', 'listen address')
    .option('--port <number>', 'port, 0 for any free port')
    .option('--grpc-port <number>', 'gRPC port, 0 for any free port; default: no gRPC')
    .option('--grpc-tls-cert <file>', 'certificate of the gRPC server; enables TLS')
    .option('--grpc-tls-key <file>', 'private key of the gRPC server')
    .option('--grpc-tls-ca <file>', 'CA certificate of gRPC clients; requires client certificates')
    .option('--rules <dir>', 'directory of rule files, reloaded on SIGHUP')
    .option('--connectors <dir>', 'directory of connector files')
    .option('--notifications <path>', 'file or directory of notification files')
    .option('--repair', 'truncate a corrupt log at the damage, and keep a copy')
    .option('--first-start <package-lock.json>', 'load this lock file into an empty data directory')
    .action((options: ServeOptions, command: Command) =>
      serve(context, context.settingsOf(command), options),
    );
}

interface ServeOptions {
  readonly repair?: boolean;
  readonly firstStart?: string;
  readonly dataDir?: string;
}

async function serve(
  { output }: CommandContext,
  settings: GraphSettings,
  { repair = false, firstStart, dataDir }: ServeOptions,
): Promise<void> {
  if (settings.store !== undefined && (repair || dataDir !== undefined))
    throw new UsageError(`a shared store has no ${repair ? '--repair' : '--data-dir'}`);
  const { host, port, rules, grpcPort } = settings;
  const grpcTls = await readGrpcTls(new NodeDisk(), settings);
  const tracing = { environment: readEnvironment(), service: 'plexus' };
  const definition = { ...graphApp({ settings, repair, firstStart, grpcTls }), tracing };
  await bootstrap(definition, {
    listen: { host, port },
    ...(rules !== '' && { reload: (app) => app.get(RuleFiles).reload() }),
    started: async (app, url = '') => {
      const log = app.get(Log);
      const grpc = grpcPort === undefined ? undefined : await boundPort(app);
      const fields = {
        ...{ event: 'server.listening', url, ...app.get(Admission).modes, version: VERSION },
        ...(grpc !== undefined && { grpc: `${host}:${grpc}`, tls: grpcTls !== undefined }),
      };
      log.info(fields, 'listening');
      warnOfAccess(settings, log, { prefix: SETTING_PREFIX, risk: 'read and write' });
      if (settings.store !== undefined && readEnvironment()['PLEXUS_DATA_DIR'] !== undefined)
        log.warn({ event: 'store.data_dir_ignored' }, 'PLEXUS_DATA_DIR is ignored with a shared store');
      app.get(ConnectorSchedules).start();
      const { loaded } = app.get<FirstStart>(FirstStart);
      if (loaded !== undefined) await output.write(await welcomeText(url, loaded, app.get(QueryService)));
    },
  });
}

/** Undefined without certificate files. Throws INVALID_CONFIG if only some of them are set. */
async function readGrpcTls(
  disk: Disk,
  { grpcTlsCa: ca, grpcTlsCert: cert, grpcTlsKey: key }: GraphSettings,
): Promise<ServerTls | undefined> {
  if (ca === '' && cert === '' && key === '') return undefined;
  if (cert === '' || key === '') {
    throw new DomainError('INVALID_CONFIG', 'expected both --grpc-tls-cert and --grpc-tls-key, or neither');
  }
  const { readServerTls } = await import('#platform/grpc');
  return readServerTls(disk, { ca, cert, key });
}

/** The address of gRPC. Loaded only if gRPC is enabled, since loading it delays the start. */
async function boundPort(app: INestApplication): Promise<number | undefined> {
  const { GraphGrpcServer } = await import('#graph/api/grpc');
  return app.get(GraphGrpcServer).boundPort;
}
