import { type DynamicModule, Module } from '@nestjs/common';
import { CoordinationModule, type CoordinationOptions } from '#load/coordination/module';
import { type Admission, AuthModule } from '#platform/auth';
import { MetricsModule } from '#platform/observability/module';
import type { HiveAppSettings } from './settings.ts';

export interface HiveAppOptions extends CoordinationOptions {
  readonly settings: HiveAppSettings;
  readonly admission: Admission;
}

/** The hive. Opening it may throw CERTIFICATE_INVALID. */
@Module({})
export class HiveAppModule {
  static forRoot({ admission, ...options }: HiveAppOptions): DynamicModule {
    return {
      module: HiveAppModule,
      imports: [MetricsModule.forRoot(), AuthModule.forRoot(admission), CoordinationModule.forRoot(options)],
    };
  }
}
