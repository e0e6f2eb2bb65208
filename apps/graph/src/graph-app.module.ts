import { type DynamicModule, Module } from '@nestjs/common';
import type { Setting } from '#platform/config';
import { carrySeq, carrySignOn } from '#graph/api/http';
import { ApiModule } from '#graph/api/http/module';
import { ConnectorSettings } from '#graph/connector';
import { EngineSettings, Graph } from '#graph/engine';
import { ExecutionSettings } from '#graph/execution';
import { NotifySettings } from '#graph/notify';
import { PolicySettings } from '#graph/policy';
import { QuerySettings } from '#graph/query';
import { StorageSettings } from '#graph/storage';
import { actingAs, type AuditTrail } from '#platform/audit';
import { actorOfRequest, Admission, AuthModule, type KeysFile, type SingleSignOn } from '#platform/auth';
import { Resources, type Secret } from '#platform/foundation';
import { type AppDefinition, OpenApi } from '#platform/http';
import { Log } from '#platform/observability';
import { MetricsModule } from '#platform/observability/module';
import { ProgramSettings } from '#platform/runtime';
import { type ServerTls, ServingTls, tlsMetric } from '#platform/tls';
import { type GraphSettings, retentionOf, SETTING_TABLE } from './settings.ts';
import { STORED_DOCUMENTS } from './stored-documents.ts';

export interface GraphAppOptions {
  readonly settings: GraphSettings;
  readonly admission: Admission;
  /** Named keys, if there is a file of them. */
  readonly keys?: KeysFile | undefined;
  /** Tokens and sessions by a provider of identities, if there is one. */
  readonly signOn?: SingleSignOn | undefined;
  /** Takes the event of each change and each refusal. */
  readonly audit?: AuditTrail | undefined;
  /** A package-lock.json to load into an empty data directory. */
  readonly firstStart?: string | undefined;
  /** The certificate of HTTP; undefined: plain text. */
  readonly tls?: ServerTls | undefined;
  /** Certificates of gRPC; undefined: plain text. */
  readonly grpcTls?: ServerTls | undefined;
  /** The certificate of Bolt; undefined: plain text. */
  readonly boltTls?: ServerTls | undefined;
}

/** The graph service. */
@Module({})
export class GraphAppModule {
  static forRoot(options: GraphAppOptions): DynamicModule {
    const { settings, admission, firstStart, tls: http, grpcTls: grpc, boltTls: bolt } = options;
    return {
      module: GraphAppModule,
      imports: [
        MetricsModule.forRoot(),
        AuthModule.forRoot(admission),
        ApiModule.forRoot({ firstStart, audit: options.audit, signOn: options.signOn }),
        ...(settings.mcp ? [mcpModule(admission)] : []),
        ...(settings.grpcPort === undefined ? [] : [grpcModule(options, settings.grpcPort)]),
        ...(settings.boltPort === undefined ? [] : [boltModule(options, settings.boltPort)]),
      ],
      providers: [...tlsMetric({ http, grpc, bolt })],
    };
  }
}

/** Loaded on demand, as are the two below, so that other starts do not wait for it. */
async function mcpModule(admission: Admission): Promise<DynamicModule> {
  const { McpModule } = await import('#graph/api/mcp/module');
  return McpModule.forRoot({ admission });
}

async function grpcModule(
  { settings, admission, audit, grpcTls: tls }: GraphAppOptions,
  port: number,
): Promise<DynamicModule> {
  const { GraphGrpcModule } = await import('#graph/api/grpc/module');
  const { host, bodyLimit: bodyBytesMax } = settings;
  return GraphGrpcModule.forRoot({
    host,
    port,
    tls,
    admission,
    audit,
    bodyBytesMax,
    closeGraceMs: closeGraceOf(settings),
  });
}

async function boltModule(
  { settings, admission, audit, boltTls: tls }: GraphAppOptions,
  port: number,
): Promise<DynamicModule> {
  const { BoltModule } = await import('#graph/api/bolt/module');
  const { host, bodyLimit: bodyBytesMax, boltTxTimeout: transactionMs, boltAdvertised } = settings;
  const advertised = boltAdvertised === '' ? undefined : boltAdvertised;
  return BoltModule.forRoot({
    listen: { host, port, tls, advertised },
    admission,
    audit,
    bodyBytesMax,
    transactionMs,
    closeGraceMs: closeGraceOf(settings),
  });
}

/** The variables of this program that hold secrets. */
const SECRET_VARIABLES = Object.values<Setting<unknown>>(SETTING_TABLE)
  .filter(({ isSecret }) => isSecret)
  .map(({ env }) => env);

/** The settings of each library. */
function librarySettings(
  settings: GraphSettings,
  { repair, audit }: { readonly repair: boolean; readonly audit: AuditTrail | undefined },
): ProgramSettings {
  const { dataDir, store } = settings;
  const { retentionMs: retention, historyMs: history } = retentionOf(settings);
  const openStore = store === undefined ? undefined : sharedStore(settings, store);
  return new ProgramSettings()
    .with(StorageSettings, { dataDir, repair, openStore })
    .with(EngineSettings, {
      retention,
      history,
      changeAudit: audit,
      documentKinds: STORED_DOCUMENTS,
    })
    .with(ExecutionSettings, settings)
    .with(QuerySettings, settings)
    .with(PolicySettings, settings)
    .with(ConnectorSettings, {
      connectors: settings.connectors,
      connectorsEditable: settings.connectorsEditable,
      ownSecrets: SECRET_VARIABLES,
      changeAudit: audit,
    })
    .with(NotifySettings, settings);
}

/** Opens the store in a database, whose library is loaded on demand. */
function sharedStore(settings: GraphSettings, url: Secret): StorageSettings['openStore'] {
  const { storePassword: password, storeSchema: schema, cacheDir } = settings;
  return async (context) => {
    const { openSharedStore } = await import('#graph/cluster');
    const options = { url, password, schema, cacheDir: cacheDir === '' ? undefined : cacheDir };
    return openSharedStore(options, context);
  };
}

/** Time beyond the query time-out for requests in flight when the service stops. */
const CLOSE_MARGIN_MS = 5_000;

function closeGraceOf({ queryTimeout }: GraphSettings): number {
  return queryTimeout + CLOSE_MARGIN_MS;
}

/** The graph service as the program runs it; Bolt and gRPC listen before HTTP does. */
export function graphApp({
  repair = false,
  ...options
}: Omit<GraphAppOptions, 'admission'> & {
  /** Truncates a log at a corrupt middle, and keeps a copy. */
  readonly repair?: boolean;
}): AppDefinition {
  const { settings, keys, signOn, tls } = options;
  const admission = new Admission({
    ...settings,
    keys: keys?.keyring,
    signOn,
    pagesVariable: SETTING_TABLE.publicPages.env,
  });
  return {
    module: GraphAppModule.forRoot({ ...options, admission }),
    settings: librarySettings(settings, { repair, audit: options.audit }),
    logging: { format: settings.logFormat, level: settings.logLevel },
    server: {
      bodyBytesMax: settings.bodyLimit,
      closeGraceMs: closeGraceOf(settings),
      faultOf: (request) => admission.faultOf(request),
      follow: (request, end) => admission.followRequest(request, end),
      within: (request, work) => actingAs(actorOfRequest(request), work),
      onRefused: (request, status) => options.audit?.refusal(actorOfRequest(request), status),
      tls,
    },
    prepare: async (app) => {
      for (const each of new Set([tls, options.grpcTls, options.boltTls]))
        if (each instanceof ServingTls) await each.watch(app.get(Resources), app.get(Log));
      await keys?.watch(app.get(Resources), app.get(Log), options.audit);
      signOn?.open(app.get(Graph), app.get(Log));
      await options.audit?.watch(app.get(Resources), app.get(Log));
      app.get(OpenApi).describe(app);
      const server = app.getHttpAdapter().getInstance();
      carrySeq(server, { graph: app.get(Graph), queryTimeoutMs: settings.queryTimeout });
      if (signOn !== undefined) carrySignOn(server, signOn);
      // Schedules follow the graph before the first statement over Bolt and the first call over gRPC.
      await app.init();
      if (settings.boltPort !== undefined) {
        const { BoltServer } = await import('#graph/api/bolt');
        const bolt = app.get(BoltServer);
        await app.get(Resources).open(
          () => bolt.listen(),
          () => bolt.drain(),
        );
      }
      if (settings.grpcPort === undefined) return;
      const { GraphGrpcServer } = await import('#graph/api/grpc');
      app.connectMicroservice({ strategy: app.get(GraphGrpcServer) });
      await app.startAllMicroservices();
    },
  };
}
