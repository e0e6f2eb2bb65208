import { type DynamicModule, Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Graph } from '#graph/engine';
import { GraphModule } from '#graph/engine/module';
import { PolicyScheduler } from '#graph/policy';
import { PolicyModule } from '#graph/policy/module';
import { SavedQueries } from '#graph/query';
import { SavedQueryModule } from '#graph/query/saved/module';
import { Disk } from '#platform/disk';
import { Log } from '#platform/observability';
import { PlatformModule } from '#platform/runtime/module';
import { FirstStart, firstStart } from './first-start.ts';

/** Loads initial data into a new graph before it is served; rules are evaluated on it. */
@Module({})
export class FirstStartModule implements OnApplicationBootstrap {
  readonly #firstStart: FirstStart;
  readonly #scheduler: PolicyScheduler;

  static forRoot({ lockFile }: { readonly lockFile: string | undefined }): DynamicModule {
    return {
      module: FirstStartModule,
      imports: [PlatformModule, GraphModule, SavedQueryModule, PolicyModule],
      providers: [
        {
          provide: FirstStart,
          inject: [Graph, Disk, Log, SavedQueries],
          useFactory: async (
            graph: Graph,
            disk: Disk,
            log: Log,
            queries: SavedQueries,
          ): Promise<FirstStart> => ({
            loaded:
              lockFile === undefined ? undefined : await firstStart({ graph, disk, log, queries, lockFile }),
          }),
        },
      ],
    };
  }

  constructor(@Inject(FirstStart) loaded: FirstStart, @Inject(PolicyScheduler) scheduler: PolicyScheduler) {
    this.#firstStart = loaded;
    this.#scheduler = scheduler;
  }

  onApplicationBootstrap(): void {
    if (this.#firstStart.loaded !== undefined) this.#scheduler.loaded();
  }
}
