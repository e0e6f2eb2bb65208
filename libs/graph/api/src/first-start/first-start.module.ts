import { type DynamicModule, Global, Module } from '@nestjs/common';
import { FirstStart, Graph } from '#graph/engine';
import { Disk } from '#platform/disk';
import { Log } from '#platform/observability';
import { firstStart } from './first-start.ts';

/** Gives a new graph something to look at, before it is served. */
@Global()
@Module({})
export class FirstStartModule {
  static forRoot({ lockFile }: { readonly lockFile: string | undefined }): DynamicModule {
    return {
      module: FirstStartModule,
      providers: [
        {
          provide: FirstStart,
          inject: [Graph, Disk, Log],
          useFactory: async (graph: Graph, disk: Disk, log: Log): Promise<FirstStart> => ({
            loaded: lockFile === undefined ? undefined : await firstStart({ graph, disk, log, lockFile }),
          }),
        },
      ],
      exports: [FirstStart],
    };
  }
}
