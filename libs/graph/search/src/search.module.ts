import { Module } from '@nestjs/common';
import { Graph } from '#graph/engine';
import { GraphModule } from '#graph/engine/module';
import { ExecutionSettings, QueryScheduler } from '#graph/execution';
import { ExecutionModule } from '#graph/execution/module';
import { Clock } from '#platform/foundation';
import { constructed } from '#platform/runtime';
import { PlatformModule } from '#platform/runtime/module';
import { SearchService } from './search-service.ts';

/** Search by name over the graph. */
@Module({
  imports: [PlatformModule, GraphModule, ExecutionModule],
  providers: [constructed(SearchService, [Graph, QueryScheduler, ExecutionSettings, Clock])],
  exports: [SearchService],
})
export class SearchModule {}
