import { type DynamicModule, Module } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { type ApiKeyGate, AuthModule } from '#auth';
import { type Clock, systemClock } from '#foundation';
import { type Logger, LoggingModule, MetricsModule } from '#observability';
import { OpenApiModule } from '#openapi';
import { EdgeDesk, HiveGrpcController } from '#rpc';
import { Uptime } from '#web';
import { Hive } from './hive.ts';
import { EdgesController } from './http/edges/edges.controller.ts';
import { HealthController } from './http/health/health.controller.ts';
import { PageController } from './http/page/page.controller.ts';
import { ReportsController } from './http/runs/reports.controller.ts';
import { RunEventsController } from './http/runs/run-events.controller.ts';
import { RunFilesController } from './http/runs/run-files.controller.ts';
import { RunsController } from './http/runs/runs.controller.ts';
import { RunStreams } from './runs/run-streams.ts';
import { VERSION } from './version.ts';

export interface HiveAppParts {
  readonly hive: Hive;
  readonly logger: Logger;
  readonly gate: ApiKeyGate;
  readonly registry: Registry;
  readonly clock?: Clock;
}

const DOCUMENTATION = {
  title: 'Plexus hive',
  description: 'Coordinates load tests: edges, runs, reports.',
  version: VERSION,
  publicPaths: ['/health'],
  metricsPath: '/metrics',
};

/** The hive over HTTP for people, and over gRPC for edges. */
@Module({
  controllers: [
    EdgesController,
    RunsController,
    ReportsController,
    RunEventsController,
    RunFilesController,
    HealthController,
    PageController,
    HiveGrpcController,
  ],
})
export class HiveAppModule {
  static forParts({ hive, logger, gate, registry, clock = systemClock }: HiveAppParts): DynamicModule {
    return {
      module: HiveAppModule,
      imports: [
        LoggingModule.forRoot(logger),
        MetricsModule.forRoot({ registry, prefix: 'plexus_', version: VERSION, path: '/metrics' }),
        AuthModule.forRoot(gate),
        OpenApiModule.forRoot(DOCUMENTATION),
      ],
      providers: [
        { provide: Hive, useValue: hive },
        { provide: EdgeDesk, useValue: hive.desk },
        { provide: RunStreams, useValue: new RunStreams(hive) },
        { provide: Uptime, useValue: new Uptime(clock) },
      ],
    };
  }
}
