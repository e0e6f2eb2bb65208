import { type DynamicModule, Module } from '@nestjs/common';
import { CoordinationModule, type CoordinationOptions } from '#load/coordination/module';
import { HiveGrpcServer } from '#load/protocol';
import { Admission, AuthModule } from '#platform/auth';
import { type AppDefinition, OpenApi } from '#platform/http';
import { MetricsModule } from '#platform/observability/module';
import { type HiveAppSettings, SETTING_TABLE } from './settings.ts';

export interface HiveAppOptions extends CoordinationOptions {
  readonly settings: HiveAppSettings;
  readonly admission: Admission;
}

/** The hive with its metrics and authentication. Opening it may throw CERTIFICATE_INVALID. */
@Module({})
export class HiveAppModule {
  static forRoot({ admission, ...options }: HiveAppOptions): DynamicModule {
    return {
      module: HiveAppModule,
      imports: [MetricsModule.forRoot(), AuthModule.forRoot(admission), CoordinationModule.forRoot(options)],
    };
  }
}

/** Allows running reports to finish. */
const CLOSE_GRACE_MS = 10_000;

/** The application of the hive; gRPC listens before HTTP. */
export function hiveApp(options: Omit<HiveAppOptions, 'admission'>): AppDefinition {
  const { settings } = options;
  const admission = new Admission({ ...settings, pagesVariable: SETTING_TABLE.publicPages.env });
  return {
    module: HiveAppModule.forRoot({ ...options, admission }),
    logging: { format: settings.logFormat, level: settings.logLevel },
    server: {
      bodyBytesMax: settings.bodyLimit,
      closeGraceMs: CLOSE_GRACE_MS,
      faultOf: (request) => admission.faultOf(request),
    },
    prepare: async (app) => {
      app.get(OpenApi).describe(app);
      app.connectMicroservice({ strategy: app.get(HiveGrpcServer) });
      await app.startAllMicroservices();
    },
  };
}
