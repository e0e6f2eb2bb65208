import { type DynamicModule, Module } from '@nestjs/common';
import { CoordinationModule, type CoordinationOptions } from '#load/coordination/module';
import { HiveGrpcServer } from '#load/protocol';
import { actingAs, AuditedChanges, type AuditTrail } from '#platform/audit';
import { actorOfRequest, Admission, AuthModule, type KeysFile } from '#platform/auth';
import { Resources } from '#platform/foundation';
import { type AppDefinition, OpenApi } from '#platform/http';
import { Log } from '#platform/observability';
import { MetricsModule } from '#platform/observability/module';
import { ServingTls, tlsMetric, withoutAuthority } from '#platform/tls';
import { type HiveAppSettings, SETTING_TABLE } from './settings.ts';

export interface HiveAppOptions extends Omit<CoordinationOptions, 'audit' | 'edgeAudit'> {
  readonly settings: HiveAppSettings;
  readonly admission: Admission;
  /** Named keys, if there is a file of them. */
  readonly keys?: KeysFile | undefined;
  /** Takes the event of each change and each refusal. */
  readonly audit?: AuditTrail | undefined;
}

/** The hive with its metrics and authentication. Opening it may throw CERTIFICATE_INVALID. */
@Module({})
export class HiveAppModule {
  static forRoot({ admission, keys, audit: trail, ...options }: HiveAppOptions): DynamicModule {
    const edges = { edgeAdmission: keys && admission, edgeAudit: trail };
    return {
      module: HiveAppModule,
      imports: [
        MetricsModule.forRoot(),
        AuthModule.forRoot(admission),
        CoordinationModule.forRoot({ ...options, ...edges, audit: new AuditedChanges(trail) }),
      ],
      providers: [...tlsMetric({ hive: options.tls })],
    };
  }
}

/** Allows running reports to finish. */
const CLOSE_GRACE_MS = 10_000;

/** The application of the hive; gRPC listens before HTTP. */
export function hiveApp(options: Omit<HiveAppOptions, 'admission'>): AppDefinition {
  const { settings, keys, audit, tls } = options;
  const admission = new Admission({
    ...settings,
    keys: keys?.keyring,
    pagesVariable: SETTING_TABLE.publicPages.env,
  });
  return {
    module: HiveAppModule.forRoot({ ...options, admission }),
    logging: { format: settings.logFormat, level: settings.logLevel },
    server: {
      bodyBytesMax: settings.bodyLimit,
      closeGraceMs: CLOSE_GRACE_MS,
      faultOf: (request) => admission.faultOf(request),
      follow: (request, end) => admission.followRequest(request, end),
      within: (request, work) => actingAs(actorOfRequest(request), work),
      onRefused: (request, status) => audit?.refusal(actorOfRequest(request), status),
      // The authority is that of edges: browsers have no certificates of it.
      tls: tls && withoutAuthority(tls),
    },
    prepare: async (app) => {
      await keys?.watch(app.get(Resources), app.get(Log), audit);
      await audit?.watch(app.get(Resources), app.get(Log));
      if (tls instanceof ServingTls) await tls.watch(app.get(Resources), app.get(Log));
      app.get(OpenApi).describe(app);
      app.connectMicroservice({ strategy: app.get(HiveGrpcServer) });
      await app.startAllMicroservices();
    },
  };
}
