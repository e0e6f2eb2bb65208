import { type DynamicModule, Module } from '@nestjs/common';
import { makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import type { Gauge } from 'prom-client';
import { Databases } from '#graph/cypher';
import { CypherModule } from '#graph/cypher/module';
import { Graph } from '#graph/engine';
import { GraphModule } from '#graph/engine/module';
import type { AuditTrail } from '#platform/audit';
import type { Admission } from '#platform/auth';
import { Log } from '#platform/observability';
import { PlatformModule } from '#platform/runtime/module';
import { BoltLimits } from './server/bolt-limits.ts';
import { BoltMetrics, CONNECTIONS, ERRORS, REFUSED, REQUESTS, ROWS } from './server/bolt-metrics.ts';
import { type BoltListenOptions, BoltServer } from './server/bolt-server.ts';

export interface BoltOptions {
  readonly listen: BoltListenOptions;
  readonly admission: Admission;
  readonly audit?: AuditTrail | undefined;
  /** Maximum body size of REST. */
  readonly bodyBytesMax: number;
  /** Maximum duration of a transaction. */
  readonly transactionMs: number;
  readonly closeGraceMs: number;
}

/** Cypher over Bolt: the application calls `listen` of {@link BoltServer}. */
@Module({})
export class BoltModule {
  static forRoot(given: BoltOptions): DynamicModule {
    const { listen, admission, audit, bodyBytesMax, transactionMs, closeGraceMs } = given;
    return {
      module: BoltModule,
      imports: [PlatformModule, GraphModule, CypherModule],
      providers: [
        { provide: BoltLimits, useValue: new BoltLimits({ bodyBytesMax, transactionMs }) },
        BoltMetrics,
        makeCounterProvider({ name: CONNECTIONS, help: 'Accepted Bolt connections', registers: [] }),
        makeCounterProvider({
          name: REFUSED,
          help: 'Refused Bolt connections, by reason',
          labelNames: ['reason'],
          registers: [],
        }),
        makeCounterProvider({
          name: REQUESTS,
          help: 'Answered Bolt requests',
          labelNames: ['request'],
          registers: [],
        }),
        makeCounterProvider({
          name: ERRORS,
          help: 'Failures sent over Bolt, by code',
          labelNames: ['code'],
          registers: [],
        }),
        makeCounterProvider({ name: ROWS, help: 'Rows sent over Bolt', registers: [] }),
        makeGaugeProvider({
          name: 'plexus_bolt_connections_open',
          help: 'Open Bolt connections',
          registers: [],
          inject: [BoltServer],
          collect(this: Gauge, { connections }: BoltServer) {
            this.set(connections);
          },
        }),
        {
          provide: BoltServer,
          inject: [Databases, Graph, BoltLimits, BoltMetrics, Log],
          useFactory: (
            transactions: Databases,
            graph: Graph,
            limits: BoltLimits,
            metrics: BoltMetrics,
            log: Log,
          ): BoltServer =>
            new BoltServer({
              listen,
              transactions,
              nodes: graph.addresses,
              admission,
              audit,
              limits,
              metrics,
              log,
              closeGraceMs,
            }),
        },
      ],
    };
  }
}
