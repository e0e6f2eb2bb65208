import { Module } from '@nestjs/common';
import { Graph } from '#graph/engine';
import { GraphModule } from '#graph/engine/module';
import { Clock } from '#platform/foundation';
import { Log } from '#platform/observability';
import { PlatformModule } from '#platform/runtime/module';
import { SavedQueries } from './saved/saved-queries.ts';

/** The saved queries, in the store of the graph. */
@Module({
  imports: [PlatformModule, GraphModule],
  providers: [
    {
      provide: SavedQueries,
      inject: [Graph, Clock, Log],
      useFactory: ({ documents }: Graph, clock: Clock, log: Log): Promise<SavedQueries> =>
        SavedQueries.open(documents, clock, log),
    },
  ],
  exports: [SavedQueries],
})
export class SavedQueryModule {}
