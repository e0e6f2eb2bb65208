import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ApiModule } from '#graph/api/module';
import { ConnectorSettings } from '#graph/connector';
import { GraphModule } from '#graph/engine/module';
import { NotifyModule } from '#graph/notify/module';
import { PolicySettings } from '#graph/policy';
import { QuerySettings } from '#graph/query';
import { StorageModule } from '#graph/storage/module';
import { type Admission, AuthModule } from '#platform/auth';
import { MetricsModule } from '#platform/observability/module';
import type { GraphSettings } from './settings.ts';

export interface GraphAppOptions {
  readonly settings: GraphSettings;
  readonly admission: Admission;
  /** Cut a log with a corrupt middle there, and keep a copy. */
  readonly repair?: boolean;
  /** A package-lock.json that is loaded when the data directory is empty. */
  readonly firstStart?: string | undefined;
}

/** The graph service. */
@Module({})
export class GraphAppModule {
  static forRoot({ settings, admission, repair = false, firstStart }: GraphAppOptions): DynamicModule {
    const { dataDir: directory, retention: retentionMs, notifications: path } = settings;
    return {
      module: GraphAppModule,
      imports: [
        SettingsModule.forRoot(settings),
        MetricsModule.forRoot(),
        AuthModule.forRoot(admission),
        StorageModule.forRoot({ directory, repair }),
        GraphModule.forRoot({ retentionMs }),
        NotifyModule.forRoot({ path }),
        ApiModule.forRoot({ firstStart }),
      ],
    };
  }
}

/** To each library its part of the settings. */
@Global()
@Module({})
class SettingsModule {
  static forRoot(settings: GraphSettings): DynamicModule {
    const tokens = [QuerySettings, PolicySettings, ConnectorSettings];
    return {
      module: SettingsModule,
      providers: tokens.map((provide) => ({ provide, useValue: settings })),
      exports: tokens,
    };
  }
}
