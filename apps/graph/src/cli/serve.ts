import type { INestApplication } from '@nestjs/common';
import type { Command } from 'commander';
import { ConnectorFiles, ConnectorSchedules } from '#graph/connector';
import { FirstStart } from '#graph/api/http';
import { RuleFiles } from '#graph/policy';
import { QueryService } from '#graph/query';
import { type Actor, actingAs, openAudit } from '#platform/audit';
import {
  Admission,
  GRAPH_ACCESS,
  type KeysFile,
  openKeys,
  openSingleSignOn,
  warnOfAccess,
} from '#platform/auth';
import { UsageError } from '#platform/cli';
import { readEnvironment } from '#platform/config';
import { NodeDisk } from '#platform/disk';
import { VERSION } from '#platform/foundation';
import { bootstrap } from '#platform/http';
import { Log } from '#platform/observability';
import { openServingTls, type ServerTls } from '#platform/tls';
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
    .option('--tls-cert <file>', 'certificate of all listeners; enables TLS')
    .option('--tls-key <file>', 'private key of the certificate')
    .option('--tls-ca <file>', 'CA certificate of clients; requires client certificates')
    .option('--grpc-port <number>', 'gRPC port, 0 for any free port; default: no gRPC')
    .option('--grpc-tls-cert <file>', 'certificate of the gRPC server; enables TLS')
    .option('--grpc-tls-key <file>', 'private key of the gRPC server')
    .option('--grpc-tls-ca <file>', 'CA certificate of gRPC clients; requires client certificates')
    .option('--bolt-port <number>', 'Bolt port, 0 for any free port; default: no Bolt')
    .option('--bolt-tls-cert <file>', 'certificate of the Bolt server; enables TLS')
    .option('--bolt-tls-key <file>', 'private key of the Bolt server')
    .option('--bolt-advertised <host:port>', 'address under which Bolt clients find this server')
    .option('--keys <file>', 'file of named keys with roles, read again when it changes')
    .option('--public-url <url>', 'address at which clients find the service, behind what ends TLS')
    .option('--audit <file>', 'file of the audit trail, - for standard output')
    .option('--audit-best-effort', 'make changes though the audit trail cannot be written')
    .option('--rules <dir>', 'directory of rule files, reloaded on SIGHUP')
    .option('--connectors <dir>', 'directory of connector files, reloaded on SIGHUP')
    .option('--connectors-editable', 'let administrators change connector files over HTTP')
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
  refuseContradictions(settings, { repair, dataDir });
  const { host, port, rules, connectors } = settings;
  const disk = new NodeDisk();
  const { tlsCa: ca, tlsCert: cert, tlsKey: key, grpcTlsCa, grpcTlsCert, grpcTlsKey } = settings;
  const { boltTlsCert, boltTlsKey } = settings;
  const tls = await openServingTls(disk, { ca, cert, key });
  const grpcOwn = { ca: grpcTlsCa, cert: grpcTlsCert, key: grpcTlsKey };
  const grpcTls = (await openServingTls(disk, grpcOwn, 'grpc-tls')) ?? tls;
  const boltOwn = { ca: '', cert: boltTlsCert, key: boltTlsKey };
  const boltTls = (await openServingTls(disk, boltOwn, 'bolt-tls')) ?? tls;
  const tracing = { environment: readEnvironment(), service: 'plexus' };
  const { apiKey } = settings;
  const keys = await openKeys({ disk, path: settings.keys, model: GRAPH_ACCESS, apiKey });
  const signOn = await openSingleSignOn(settings, GRAPH_ACCESS, keys?.keyring);
  const audit = await openAudit(settings);
  const parts = { settings, keys, signOn, audit, repair, firstStart, tls, grpcTls, boltTls };
  const run = bootstrap(
    { ...graphApp(parts), tracing },
    {
      listen: { host, port },
      ...((rules !== '' || connectors !== '' || keys !== undefined) && {
        reload: (app) => actingAs(HANGUP, () => reload(app, settings, keys)),
      }),
      started: async (app, url = '') => {
        const log = app.get(Log);
        const fields = {
          event: 'server.listening',
          url,
          ...app.get(Admission).modes,
          version: VERSION,
          ...(await grpcFields(app, settings, grpcTls)),
          ...(await boltFields(app, settings, boltTls)),
        };
        log.info(fields, 'listening');
        warnOfAccess({ ...settings, keys: keys?.keyring, signOn }, log, {
          prefix: SETTING_PREFIX,
          risk: 'read and write',
        });
        if (settings.store !== undefined && readEnvironment()['PLEXUS_DATA_DIR'] !== undefined)
          log.warn({ event: 'store.data_dir_ignored' }, 'PLEXUS_DATA_DIR is ignored with a shared store');
        app.get(ConnectorSchedules).start();
        const { loaded } = app.get<FirstStart>(FirstStart);
        if (loaded !== undefined) await output.write(await welcomeText(url, loaded, app.get(QueryService)));
      },
    },
  );
  await run.finally(() => audit?.close());
}

function refuseContradictions(
  { store, connectors, connectorsEditable }: GraphSettings,
  { repair, dataDir }: { readonly repair: boolean; readonly dataDir: string | undefined },
): void {
  if (store !== undefined && (repair || dataDir !== undefined))
    throw new UsageError(`a shared store has no ${repair ? '--repair' : '--data-dir'}`);
  if (connectorsEditable && connectors === '')
    throw new UsageError('--connectors-editable: expected --connectors <dir> beside it');
}

/** Who asks for what SIGHUP causes. */
const HANGUP: Actor = { who: 'plexus', isNamed: false, from: 'signal', what: 'SIGHUP' };

/** Reads again what comes from files. What is faulty changes nothing. */
async function reload(
  app: INestApplication,
  { rules, connectors }: GraphSettings,
  keys: KeysFile | undefined,
): Promise<void> {
  await keys?.reload(app.get(Log));
  if (rules !== '') await app.get(RuleFiles).reload();
  if (connectors === '') return;
  try {
    await app.get(ConnectorFiles).reload();
  } catch (err) {
    app
      .get(Log)
      .error({ event: 'connector.reload_failed', err }, 'connector files not read: connectors unchanged');
  }
}

/** The address of gRPC. Loaded only if gRPC is enabled, since loading it delays the start. */
async function grpcFields(
  app: INestApplication,
  { host, grpcPort }: GraphSettings,
  tls: ServerTls | undefined,
): Promise<object> {
  if (grpcPort === undefined) return {};
  const { GraphGrpcServer } = await import('#graph/api/grpc');
  return { grpc: `${host}:${app.get(GraphGrpcServer).boundPort ?? 0}`, tls: tls !== undefined };
}

/** The address of Bolt, with the scheme that drivers take. */
async function boltFields(
  app: INestApplication,
  { boltPort }: GraphSettings,
  tls: ServerTls | undefined,
): Promise<object> {
  if (boltPort === undefined) return {};
  const { BoltServer } = await import('#graph/api/bolt');
  return { bolt: `${tls === undefined ? 'bolt' : 'bolt+s'}://${app.get(BoltServer).address}` };
}
