import { type DynamicModule, Module } from '@nestjs/common';
import { Disk } from '#platform/disk';
import { PlatformModule } from '#platform/runtime/module';
import { PageFiles } from './page-files.ts';
import { type PagePaths, pagesController } from './pages.controller.ts';

/** A page of dist/web, at `/` of the server that has its API, or at the given paths. */
@Module({})
export class PagesModule {
  static forRoot({
    page,
    at = '',
    assets = 'assets',
  }: Partial<PagePaths> & { readonly page: string }): DynamicModule {
    return {
      module: PagesModule,
      imports: [PlatformModule],
      controllers: [pagesController({ at, assets })],
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
