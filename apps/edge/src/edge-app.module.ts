import { type DynamicModule, Module } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { type Logger, LoggingModule, MetricsModule } from '#observability';
import { HealthController } from './http/health.controller.ts';
import { EdgeLife } from './life/edge-life.ts';
import { VERSION } from './version.ts';

export interface EdgeAppParts {
  readonly edge: EdgeLife;
  readonly registry: Registry;
  readonly logger: Logger;
}

/** An edge over HTTP: whether it lives, and what it counts. */
@Module({ controllers: [HealthController] })
export class EdgeAppModule {
  static forParts({ edge, registry, logger }: EdgeAppParts): DynamicModule {
    return {
      module: EdgeAppModule,
      imports: [
        LoggingModule.forRoot(logger),
        MetricsModule.forRoot({ registry, prefix: 'plexus_', version: VERSION, path: '/metrics' }),
      ],
      providers: [{ provide: EdgeLife, useValue: edge }],
    };
  }
}
