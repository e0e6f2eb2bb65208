import { Module } from '@nestjs/common';
import { Graph } from '#graph/engine';
import { GraphModule } from '#graph/engine/module';
import { ExecutionSettings, QueryScheduler } from '#graph/execution';
import { ExecutionModule } from '#graph/execution/module';
import { Clock } from '#platform/foundation';
import { constructed } from '#platform/runtime';
import { PlatformModule } from '#platform/runtime/module';
import { CypherService } from './service/cypher-service.ts';
import { TransactionService } from './service/transaction-service.ts';

/** Cypher over the graph. */
@Module({
  imports: [PlatformModule, GraphModule, ExecutionModule],
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
    constructed(CypherService, [TransactionService, QueryScheduler]),
  ],
  exports: [CypherService, TransactionService],
})
export class CypherModule {}
