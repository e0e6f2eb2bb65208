import { Module } from '@nestjs/common';
import { Store } from '#graph/storage';
import { StorageModule } from '#graph/storage/module';
import { Clock, Resources } from '#platform/foundation';
import { Log } from '#platform/observability';
import { settingsOf } from '#platform/runtime';
import { PlatformModule } from '#platform/runtime/module';
import { EngineSettings } from './engine-settings.ts';
import { GRAPH_METRICS } from './graph-metrics.ts';
import { Graph } from './graph.ts';

/** The graph on the application's store. */
@Module({
  imports: [PlatformModule, StorageModule],
  providers: [
    settingsOf(EngineSettings),
    {
      provide: Graph,
      inject: [Store, EngineSettings, Clock, Log, Resources],
      useFactory: (
        storage: Store,
        { retention: retentionMs, history: historyMs, changeAudit: audit, documentKinds }: EngineSettings,
        clock: Clock,
        log: Log,
        resources: Resources,
      ): Promise<Graph> =>
        resources.open(
          () => Graph.over(storage, { clock, log, retentionMs, historyMs, audit, documentKinds }),
          (graph) => graph.close(resources),
        ),
    },
    ...GRAPH_METRICS,
  ],
  exports: [Graph],
})
export class GraphModule {}
