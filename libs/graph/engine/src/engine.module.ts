import { Module } from '@nestjs/common';
import { StorageSettings, Store } from '#graph/storage';
import { StorageModule } from '#graph/storage/module';
import { Disk } from '#platform/disk';
import { Clock, Resources } from '#platform/foundation';
import { Log } from '#platform/observability';
import { settingsOf } from '#platform/runtime';
import { PlatformModule } from '#platform/runtime/module';
import { EngineSettings } from './engine-settings.ts';
import { NamedGraphs } from './named-graphs.ts';
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
    settingsOf(StorageSettings),
    {
      provide: NamedGraphs,
      inject: [StorageSettings, EngineSettings, Disk, Clock, Log],
      useFactory: (
        storage: StorageSettings,
        engine: EngineSettings,
        disk: Disk,
        clock: Clock,
        log: Log,
      ): NamedGraphs => new NamedGraphs({ storage, engine, disk, clock, log }),
    },
    ...GRAPH_METRICS,
  ],
  exports: [NamedGraphs, Graph],
})
export class GraphModule {}
