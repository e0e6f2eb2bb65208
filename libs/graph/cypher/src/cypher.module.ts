import { Module } from '@nestjs/common';
import { NamedGraphs, Graph } from '#graph/engine';
import { GraphModule } from '#graph/engine/module';
import { ExecutionSettings, QueryScheduler } from '#graph/execution';
import { ExecutionModule } from '#graph/execution/module';
import { Clock, Resources } from '#platform/foundation';
import { constructed } from '#platform/runtime';
import { PlatformModule } from '#platform/runtime/module';
import { Databases } from './database/databases.ts';
import { DatabaseList } from './database/database-list.ts';
import { proceduresOf } from './procedure/procedures.ts';
import { CypherService } from './service/cypher-service.ts';
import { TransactionService } from './service/transaction-service.ts';

/** Cypher over the graph. */
@Module({
  imports: [PlatformModule, GraphModule, ExecutionModule],
  providers: [
    DatabaseList,
    {
      provide: TransactionService,
      inject: [Graph, QueryScheduler, ExecutionSettings, Clock, DatabaseList],
      useFactory: (
        graph: Graph,
        scheduler: QueryScheduler,
        settings: ExecutionSettings,
        clock: Clock,
        { names }: DatabaseList,
      ): TransactionService =>
        new TransactionService({ graph, scheduler, settings, clock, procedures: proceduresOf(() => names) }),
    },
    {
      provide: Databases,
      inject: [TransactionService, DatabaseList, NamedGraphs, Resources],
      useFactory: (
        main: TransactionService,
        list: DatabaseList,
        graphs: NamedGraphs,
        resources: Resources,
      ): Promise<Databases> =>
        resources.open(
          () => Databases.find({ main, list, graphs }),
          (databases) => databases.close(),
        ),
    },
    constructed(CypherService, [TransactionService, QueryScheduler]),
  ],
  exports: [CypherService, Databases, TransactionService],
})
export class CypherModule {}
