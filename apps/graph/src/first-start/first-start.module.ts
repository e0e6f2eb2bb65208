import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Disk } from '#disk';
import { Graph, type SyncReply } from '#graph';
import { Log } from '#observability';
import { firstStart } from './first-start.ts';

/** What the first start has loaded; undefined when it loaded nothing. */
export abstract class FirstStart {
  abstract readonly loaded: SyncReply | undefined;
}

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
