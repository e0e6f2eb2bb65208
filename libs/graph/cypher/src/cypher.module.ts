import { Module } from '@nestjs/common';
import { Graph } from '#graph/engine';
import { ExecutionSettings, QueryScheduler } from '#graph/execution';
import { ExecutionModule } from '#graph/execution/module';
import { Clock } from '#platform/foundation';
import { CypherService } from './service/cypher-service.ts';
import { TransactionService } from './service/transaction-service.ts';

/** Cypher over the graph. */
@Module({
  imports: [ExecutionModule],
  providers: [
    {
      provide: TransactionService,
      inject: [Graph, QueryScheduler, ExecutionSettings, Clock],
      useFactory: (
        graph: Graph,
        scheduler: QueryScheduler,
        settings: ExecutionSettings,
        clock: Clock,
      ): TransactionService => new TransactionService({ graph, scheduler, settings, clock }),
    },
    {
      provide: CypherService,
      inject: [TransactionService, QueryScheduler],
      useFactory: (transactions: TransactionService, scheduler: QueryScheduler): CypherService =>
        new CypherService(transactions, scheduler),
    },
  ],
  exports: [CypherService, TransactionService],
})
export class CypherModule {}
