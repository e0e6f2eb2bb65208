import { type DynamicModule, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { TransactionService } from '#graph/cypher';
import { CypherModule } from '#graph/cypher/module';
import type { Admission } from '#platform/auth';
import { Log } from '#platform/observability';
import { BoltLimits } from './server/bolt-limits.ts';
import { type BoltListenOptions, BoltServer } from './server/bolt-server.ts';

export interface BoltOptions {
  readonly listen: BoltListenOptions;
  readonly admission: Admission;
  /** Maximum body size of REST. */
  readonly bodyBytesMax: number;
  /** Maximum duration of a transaction. */
  readonly transactionMs: number;
  readonly closeGraceMs: number;
}

/** Cypher over Bolt: the application calls `listen` of {@link BoltServer}. */
@Module({})
export class BoltModule {
  static forRoot({
    listen,
    admission,
    bodyBytesMax,
    transactionMs,
    closeGraceMs,
  }: BoltOptions): DynamicModule {
    return {
      module: BoltModule,
      imports: [CypherModule],
      providers: [
        { provide: BoltLimits, useValue: new BoltLimits({ bodyBytesMax, transactionMs }) },
        {
          provide: BoltServer,
          inject: [TransactionService, BoltLimits, Registry, Log],
          useFactory: (
            transactions: TransactionService,
            limits: BoltLimits,
            registry: Registry,
            log: Log,
          ): BoltServer =>
            new BoltServer({ listen, transactions, admission, limits, registry, log, closeGraceMs }),
        },
      ],
    };
  }
}
