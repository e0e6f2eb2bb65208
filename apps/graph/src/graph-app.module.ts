import { type DynamicModule, Global, Module } from '@nestjs/common';
import { carrySeq } from '#graph/api/http';
import { ApiModule } from '#graph/api/http/module';
import { ConnectorSettings } from '#graph/connector';
import { Graph } from '#graph/engine';
import { GraphModule } from '#graph/engine/module';
import { ExecutionSettings } from '#graph/execution';
import { NotifyModule } from '#graph/notify/module';
import { PolicySettings } from '#graph/policy';
import { QuerySettings } from '#graph/query';
import { StorageModule } from '#graph/storage/module';
import { Admission, AuthModule } from '#platform/auth';
import { Resources, type Secret } from '#platform/foundation';
import type { ServerTls } from '#platform/grpc';
import { type AppDefinition, OpenApi } from '#platform/http';
import { MetricsModule } from '#platform/observability/module';
import { type GraphSettings, SETTING_TABLE } from './settings.ts';

export interface GraphAppOptions {
  readonly settings: GraphSettings;
  readonly admission: Admission;
  /** Truncates a log at a corrupt middle, and keeps a copy. */
  readonly repair?: boolean;
  /** A package-lock.json to load into an empty data directory. */
  readonly firstStart?: string | undefined;
  /** Certificates of gRPC; undefined: plain text. */
  readonly grpcTls?: ServerTls | undefined;
  /** The certificate of Bolt; undefined: plain text. */
  readonly boltTls?: ServerTls | undefined;
}

/** The graph service. */
@Module({})
export class GraphAppModule {
  static forRoot(options: GraphAppOptions): DynamicModule {
    const { settings, admission, repair = false, firstStart } = options;
    const { dataDir: directory, retention: retentionMs, notifications: path } = settings;
    return {
      module: GraphAppModule,
      imports: [
        SettingsModule.forRoot(settings),
        MetricsModule.forRoot(),
        AuthModule.forRoot(admission),
        settings.store === undefined
          ? StorageModule.forRoot({ directory, repair })
          : clusterModule(settings, settings.store),
        GraphModule.forRoot({ retentionMs }),
        NotifyModule.forRoot({ path }),
        ApiModule.forRoot({ firstStart }),
        ...(settings.mcp ? [mcpModule(admission)] : []),
        ...(settings.grpcPort === undefined ? [] : [grpcModule(options, settings.grpcPort)]),
        ...(settings.boltPort === undefined ? [] : [boltModule(options, settings.boltPort)]),
      ],
    };
  }
}

/** Loaded on demand, as are the three below, so that other starts do not wait for it. */
async function clusterModule(settings: GraphSettings, url: Secret): Promise<DynamicModule> {
  const { ClusterModule } = await import('#graph/cluster/module');
  const { storePassword: password, storeSchema: schema, cacheDir } = settings;
  return ClusterModule.forRoot({ url, password, schema, cacheDir: cacheDir === '' ? undefined : cacheDir });
}

async function mcpModule(admission: Admission): Promise<DynamicModule> {
  const { McpModule } = await import('#graph/api/mcp/module');
  return McpModule.forRoot({ admission });
}

async function grpcModule(
  { settings, admission, grpcTls: tls }: GraphAppOptions,
  port: number,
): Promise<DynamicModule> {
  const { GraphGrpcModule } = await import('#graph/api/grpc/module');
  const { host, bodyLimit: bodyBytesMax } = settings;
  return GraphGrpcModule.forRoot({
    host,
    port,
    tls,
    admission,
    bodyBytesMax,
    closeGraceMs: closeGraceOf(settings),
  });
}

async function boltModule(
  { settings, admission, boltTls: tls }: GraphAppOptions,
  port: number,
): Promise<DynamicModule> {
  const { BoltModule } = await import('#graph/api/bolt/module');
  const { host, bodyLimit: bodyBytesMax, boltTxTimeout: transactionMs, boltAdvertised } = settings;
  const advertised = boltAdvertised === '' ? undefined : boltAdvertised;
  return BoltModule.forRoot({
    listen: { host, port, tls, advertised },
    admission,
    bodyBytesMax,
    transactionMs,
    closeGraceMs: closeGraceOf(settings),
  });
}

/** The settings of each library. */
@Global()
@Module({})
class SettingsModule {
  static forRoot(settings: GraphSettings): DynamicModule {
    const tokens = [ExecutionSettings, QuerySettings, PolicySettings, ConnectorSettings];
    return {
      module: SettingsModule,
      providers: tokens.map((provide) => ({ provide, useValue: settings })),
      exports: tokens,
    };
  }
}

/** Above the query time-out, for requests in flight when the service stops. */
const CLOSE_MARGIN_MS = 5_000;

function closeGraceOf({ queryTimeout }: GraphSettings): number {
  return queryTimeout + CLOSE_MARGIN_MS;
}

/** The graph service as the program runs it; Bolt and gRPC listen before HTTP does. */
export function graphApp(options: Omit<GraphAppOptions, 'admission'>): AppDefinition {
  const { settings } = options;
  const admission = new Admission({ ...settings, pagesVariable: SETTING_TABLE.publicPages.env });
  return {
    module: GraphAppModule.forRoot({ ...options, admission }),
    logging: { format: settings.logFormat, level: settings.logLevel },
    server: {
      bodyBytesMax: settings.bodyLimit,
      closeGraceMs: closeGraceOf(settings),
      faultOf: (request) => admission.faultOf(request),
    },
    prepare: async (app) => {
      app.get(OpenApi).describe(app);
      const server = app.getHttpAdapter().getInstance();
      carrySeq(server, { graph: app.get(Graph), queryTimeoutMs: settings.queryTimeout });
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
      // Schedules follow the graph before the first call over gRPC.
      await app.init();
      await app.startAllMicroservices();
    },
  };
}
