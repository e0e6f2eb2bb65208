import { type DynamicModule, Module } from '@nestjs/common';
import { EdgeGateway, HiveGrpcController, HiveGrpcServer } from '#load/protocol';
import { AuditedChanges, type AuditTrail } from '#platform/audit';
import { actorOf, type Admission, NOBODY } from '#platform/auth';
import { Disk } from '#platform/disk';
import { Clock, Resources, VERSION } from '#platform/foundation';
import { type ServerTls, TlsRefusals } from '#platform/grpc';
import { OpenApiModule, PagesModule } from '#platform/http';
import { Log } from '#platform/observability';
import { constructed } from '#platform/runtime';
import { PlatformModule } from '#platform/runtime/module';
import { EdgesController } from './api/edges/edges.controller.ts';
import { ReportsController } from './api/runs/reports.controller.ts';
import { RunEventsController, RunStreams } from './api/runs/run-events.controller.ts';
import { RunFilesController } from './api/runs/run-files.controller.ts';
import { RunsController } from './api/runs/runs.controller.ts';
import { HiveHealthController } from './hive/hive-health.controller.ts';
import { HiveMetrics } from './hive/hive-metrics.ts';
import { Hive, type HiveSettings } from './hive/hive.ts';
import type { FundingEnvironment } from './run/funding.ts';
import type { RunTimes } from './run/run-watchdog.ts';

export interface CoordinationOptions {
  readonly settings: HiveSettings & { readonly grpcHost: string; readonly grpcPort: number };
  /** Environment whose variables a scenario can name. */
  readonly environment: FundingEnvironment;
  readonly times?: Partial<RunTimes>;
  /** Undefined: edges connect without TLS. */
  readonly tls: ServerTls | undefined;
  /** Checks the keys of edges; undefined: edges need none. */
  readonly edgeAdmission?: Admission | undefined;
  /** Takes the event of each edge that is refused. */
  readonly edgeAudit?: Pick<AuditTrail, 'refusal'> | undefined;
  /** Takes the event of each change. */
  readonly audit: AuditedChanges;
}

const UNAUTHENTICATED = 401;
const DOCUMENTATION = {
  title: 'Plexus hive',
  description: 'Coordinates load tests: edges, runs, reports.',
  version: VERSION,
  publicPaths: ['/health'],
  metricsPath: '/metrics',
};

/** The hive: an HTTP API for users, and gRPC for edges. Opening it may throw CERTIFICATE_INVALID. */
@Module({
  controllers: [
    EdgesController,
    RunsController,
    ReportsController,
    RunEventsController,
    RunFilesController,
    HiveHealthController,
    HiveGrpcController,
  ],
})
export class CoordinationModule {
  static forRoot({
    tls,
    edgeAdmission: admission,
    edgeAudit: audit,
    ...options
  }: CoordinationOptions): DynamicModule {
    const { grpcHost: host, grpcPort: port } = options.settings;
    return {
      module: CoordinationModule,
      imports: [PlatformModule, OpenApiModule.forRoot(DOCUMENTATION), PagesModule.forRoot({ page: 'hive' })],
      providers: [
        {
          provide: Hive,
          inject: [Disk, Clock, Log, Resources],
          useFactory: (disk: Disk, clock: Clock, log: Log, resources: Resources): Promise<Hive> =>
            resources.open(
              () => Hive.open({ ...options, edgeAudit: audit, disk, clock, log }),
              (hive) => hive.close(resources),
            ),
        },
        { provide: AuditedChanges, useValue: options.audit },
        constructed(HiveMetrics, [Hive]),
        {
          provide: HiveGrpcServer,
          inject: [Log],
          useFactory: (log: Log): HiveGrpcServer => {
            const refusals = new TlsRefusals(log, 'edge.tls_refused');
            const onTlsRefused: TlsRefusals['log'] = (refused) => {
              refusals.log(refused);
              // A peer that leaves by itself, such as a check of the port, is not refused.
              if (refused.reason !== 'ECONNRESET')
                audit?.refusal(
                  actorOf(NOBODY, { from: refused.peer, what: 'TLS handshake' }),
                  UNAUTHENTICATED,
                );
            };
            return new HiveGrpcServer({ host, port, tls, admission, audit, onTlsRefused });
          },
        },
        { provide: EdgeGateway, inject: [Hive], useFactory: (hive: Hive): EdgeGateway => hive.gateway },
        constructed(RunStreams, [Hive]),
      ],
    };
  }
}
