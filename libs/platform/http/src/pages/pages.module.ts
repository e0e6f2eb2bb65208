import { type DynamicModule, Module } from '@nestjs/common';
import { Disk } from '#platform/disk';
import { PageFiles } from './page-files.ts';
import { PagesController } from './pages.controller.ts';

/** A page of dist/web, at `/` of the server that has its API. */
@Module({ controllers: [PagesController] })
export class PagesModule {
  static forRoot({ page }: { readonly page: string }): DynamicModule {
    return {
      module: PagesModule,
      providers: [
        {
          provide: PageFiles,
          inject: [Disk],
          useFactory: (disk: Disk): PageFiles => new PageFiles(disk, page),
        },
      ],
    };
  }
}
