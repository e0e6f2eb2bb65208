import { Module } from '@nestjs/common';
import { Graph } from '#graph/engine';
import { ExecutionSettings, QueryScheduler } from '#graph/execution';
import { ExecutionModule } from '#graph/execution/module';
import { Clock } from '#platform/foundation';
import { CypherService } from './service/cypher-service.ts';

/** Cypher over the graph. */
@Module({
  imports: [ExecutionModule],
  providers: [
    {
      provide: CypherService,
      inject: [Graph, QueryScheduler, ExecutionSettings, Clock],
      useFactory: (
        graph: Graph,
        scheduler: QueryScheduler,
        settings: ExecutionSettings,
        clock: Clock,
      ): CypherService => new CypherService({ graph, scheduler, settings, clock }),
    },
  ],
  exports: [CypherService],
})
export class CypherModule {}
