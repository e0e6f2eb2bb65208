import { type DynamicModule, Global, Module } from '@nestjs/common';
import { FirstStart, Graph } from '#graph/engine';
import { SavedQueries } from '#graph/query';
import { QueryModule } from '#graph/query/module';
import { Disk } from '#platform/disk';
import { Log } from '#platform/observability';
import { firstStart } from './first-start.ts';

/** Loads initial data into a new graph before it is served. */
@Global()
@Module({})
export class FirstStartModule {
  static forRoot({ lockFile }: { readonly lockFile: string | undefined }): DynamicModule {
    return {
      module: FirstStartModule,
      imports: [QueryModule],
      providers: [
        {
          provide: FirstStart,
          inject: [Graph, Disk, Log, SavedQueries],
          useFactory: async (
            ...[graph, disk, log, queries]: [Graph, Disk, Log, SavedQueries]
          ): Promise<FirstStart> => ({
            loaded:
              lockFile === undefined ? undefined : await firstStart({ graph, disk, log, queries, lockFile }),
          }),
        },
      ],
      exports: [FirstStart],
    };
  }
}
