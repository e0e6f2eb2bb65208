import { type DynamicModule, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Graph } from '#graph/engine';
import { QuerySettings } from '#graph/query';
import { QueryModule } from '#graph/query/module';
import type { Admission } from '#platform/auth';
import { CallErrorFilter, CallMetrics, type ServerTls, TlsRefusals } from '#platform/grpc';
import { HTTP_LIMITS } from '#platform/http';
import { Log } from '#platform/observability';
import { GrpcLimits } from './calls/grpc-limits.ts';
import { SeqMetadata } from './calls/seq-metadata.ts';
import { GraphGrpcServer } from './server/graph-grpc-server.ts';
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
  /** Maximum body size of REST. */
  readonly bodyBytesMax: number;
  readonly closeGraceMs: number;
}

/** The graph service over gRPC: the application connects {@link GraphGrpcServer} as its transport. */
@Module({ controllers: [QueryGrpcController, IngestGrpcController, RecordGrpcController] })
export class GraphGrpcModule {
  static forRoot({
    host,
    port,
    tls,
    admission,
    bodyBytesMax,
    closeGraceMs,
  }: GraphGrpcOptions): DynamicModule {
    const limits = new GrpcLimits({ bodyBytesMax, pauseMs: HTTP_LIMITS.streamIdleTimeoutMs });
    return {
      module: GraphGrpcModule,
      imports: [QueryModule],
      providers: [
        CallErrorFilter,
        { provide: GrpcLimits, useValue: limits },
        {
          provide: SeqMetadata,
          inject: [Graph, QuerySettings],
          useFactory: (graph: Graph, { queryTimeout }: QuerySettings): SeqMetadata =>
            new SeqMetadata(graph, queryTimeout),
        },
        {
          provide: GraphGrpcServer,
          inject: [Graph, Log, Registry, GrpcLimits],
          useFactory: (graph: Graph, log: Log, registry: Registry, bounds: GrpcLimits): GraphGrpcServer => {
            const refusals = new TlsRefusals(log, 'grpc.tls_refused');
            return new GraphGrpcServer({
              listen: { host, port, tls, onTlsRefused: (refused) => refusals.tell(refused) },
              graph,
              admission,
              metrics: new CallMetrics(registry),
              limits: bounds,
              closeGraceMs,
            });
          },
        },
      ],
    };
  }
}
