import { type DynamicModule, Module } from '@nestjs/common';
import { Graph } from '#graph/engine';
import { GraphModule } from '#graph/engine/module';
import { QuerySettings } from '#graph/query';
import { QueryModule } from '#graph/query/module';
import type { AuditTrail } from '#platform/audit';
import type { Admission } from '#platform/auth';
import { CallErrorFilter, CALL_METRICS, CallMetrics, type ServerTls, TlsRefusals } from '#platform/grpc';
import { HTTP_LIMITS } from '#platform/http';
import { Log } from '#platform/observability';
import { constructed } from '#platform/runtime';
import { PlatformModule } from '#platform/runtime/module';
import { GrpcLimits } from './calls/grpc-limits.ts';
import { SeqMetadata } from './calls/seq-metadata.ts';
import { GraphGrpcServer, type GraphGrpcServerOptions } from './server/graph-grpc-server.ts';
import { HistoryGrpcController } from './server/history-grpc.controller.ts';
import { IngestGrpcController } from './server/ingest-grpc.controller.ts';
import { QueryGrpcController } from './server/query-grpc.controller.ts';
import { RecordGrpcController } from './server/record-grpc.controller.ts';

export interface GraphGrpcOptions {
  readonly host: string;
  /** 0 for any. */
  readonly port: number;
  /** Undefined: plain text. With an authority, clients must present a certificate issued by it. */
  readonly tls: ServerTls | undefined;
  readonly admission: Admission;
  readonly audit?: AuditTrail | undefined;
  /** Maximum body size of REST. */
  readonly bodyBytesMax: number;
  readonly closeGraceMs: number;
}

/** The graph service over gRPC: the application connects {@link GraphGrpcServer} as its transport. */
@Module({
  controllers: [QueryGrpcController, IngestGrpcController, RecordGrpcController, HistoryGrpcController],
})
export class GraphGrpcModule {
  static forRoot(given: GraphGrpcOptions): DynamicModule {
    const { host, port, tls, admission, audit, bodyBytesMax, closeGraceMs } = given;
    const limits = new GrpcLimits({ bodyBytesMax, pauseMs: HTTP_LIMITS.streamIdleTimeoutMs });
    return {
      module: GraphGrpcModule,
      imports: [PlatformModule, GraphModule, QueryModule],
      providers: [
        CallErrorFilter,
        { provide: GrpcLimits, useValue: limits },
        constructed(SeqMetadata, [Graph, QuerySettings]),
        CallMetrics,
        ...CALL_METRICS,
        {
          provide: GraphGrpcServer,
          inject: [Graph, CallMetrics, GrpcLimits, Log],
          useFactory: (graph: Graph, metrics: CallMetrics, bounds: GrpcLimits, log: Log): GraphGrpcServer => {
            const refusals = new TlsRefusals(log, 'grpc.tls_refused');
            const options = {
              listen: { host, port, tls, onTlsRefused: (refused) => refusals.log(refused) },
              admission,
              audit,
              closeGraceMs,
            } satisfies GraphGrpcServerOptions;
            return new GraphGrpcServer(options, graph, metrics, bounds);
          },
        },
      ],
    };
  }
}
