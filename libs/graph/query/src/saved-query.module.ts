import { type Abstract, type FactoryProvider, Module, type Type } from '@nestjs/common';
import { Graph } from '#graph/engine';
import { GraphModule } from '#graph/engine/module';
import { Clock } from '#platform/foundation';
import { Log } from '#platform/observability';
import { PlatformModule } from '#platform/runtime/module';
import { ClassStyles } from './saved/class-style.ts';
import { SavedQueries } from './saved/saved-queries.ts';
import { SavedViews } from './saved/saved-view.ts';

type Opener<Saved> = (documents: Graph['documents'], clock: Clock, log: Log) => Promise<Saved>;

function saved<Saved>(provide: Type<Saved> | Abstract<Saved>, open: Opener<Saved>): FactoryProvider {
  return {
    provide,
    inject: [Graph, Clock, Log],
    useFactory: ({ documents }: Graph, clock: Clock, log: Log) => open(documents, clock, log),
  };
}

/** The saved queries and views, and the styles of classes, in the store of the graph. */
@Module({
  imports: [PlatformModule, GraphModule],
  providers: [
    saved(SavedQueries, (...services) => SavedQueries.open(...services)),
    saved(SavedViews, (...services) => SavedViews.open(...services)),
    saved(ClassStyles, (...services) => ClassStyles.open(...services)),
  ],
  exports: [SavedQueries, SavedViews, ClassStyles],
})
export class SavedQueryModule {}
