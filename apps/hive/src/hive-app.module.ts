import { type DynamicModule, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { type Admission, AuthModule } from '#auth';
import { Disk } from '#disk';
import { Clock, Resources, VERSION } from '#foundation';
import { Log, MetricsModule } from '#observability';
import { OpenApiModule } from '#openapi';
import { EdgeDesk, HiveGrpcController, HiveGrpcServer, type TlsMaterial } from '#rpc';
import { TlsRefusals } from './edges/tls-refusals.ts';
import { Hive } from './hive.ts';
import { EdgesController } from './http/edges/edges.controller.ts';
import { HealthController } from './http/health/health.controller.ts';
import { PageController } from './http/page/page.controller.ts';
import { ReportsController } from './http/runs/reports.controller.ts';
import { RunEventsController } from './http/runs/run-events.controller.ts';
import { RunFilesController } from './http/runs/run-files.controller.ts';
import { RunsController } from './http/runs/runs.controller.ts';
import type { Environment } from './runs/funding.ts';
import { RunStreams } from './runs/run-streams.ts';
import type { RunTimes } from './runs/run-times.ts';
import type { HiveSettings } from './settings.ts';

export interface HiveAppOptions {
  readonly settings: HiveSettings;
  readonly admission: Admission;
  /** Of which scenarios may name variables. */
  readonly environment: Environment;
  readonly times?: Partial<RunTimes>;
  /** Undefined: edges show no certificates. */
  readonly tls: TlsMaterial | undefined;
}

const DOCUMENTATION = {
  title: 'Plexus hive',
  description: 'Coordinates load tests: edges, runs, reports.',
  version: VERSION,
  publicPaths: ['/health'],
  metricsPath: '/metrics',
};

/** The hive over HTTP for people, and over gRPC for edges. Opening it may throw CERTIFICATE_INVALID. */
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
  static forRoot({ admission, tls, ...options }: HiveAppOptions): DynamicModule {
    const { grpcHost: host, grpcPort: port } = options.settings;
    return {
      module: HiveAppModule,
      imports: [MetricsModule.forRoot(), AuthModule.forRoot(admission), OpenApiModule.forRoot(DOCUMENTATION)],
      providers: [
        {
          provide: Hive,
          inject: [Disk, Clock, Log, Registry, Resources],
          useFactory: (
            ...[disk, clock, log, registry, resources]: [Disk, Clock, Log, Registry, Resources]
          ): Promise<Hive> =>
            resources.open(
              () => Hive.open({ ...options, disk, clock, log, registry }),
              (hive) => hive.close(),
            ),
        },
        {
          provide: HiveGrpcServer,
          inject: [Log],
          useFactory: (log: Log): HiveGrpcServer => {
            const refusals = new TlsRefusals(log);
            return new HiveGrpcServer({ host, port, tls, onTlsRefused: (refused) => refusals.tell(refused) });
          },
        },
        { provide: EdgeDesk, inject: [Hive], useFactory: (hive: Hive): EdgeDesk => hive.desk },
        { provide: RunStreams, inject: [Hive], useFactory: (hive: Hive): RunStreams => new RunStreams(hive) },
      ],
    };
  }
}
