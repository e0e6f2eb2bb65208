import { type DynamicModule, Module } from '@nestjs/common';
import { Disk } from '#platform/disk';
import { PagesModule } from '../pages/pages.module.ts';
import { DocsAssets, DocsController } from './docs.controller.ts';
import { OpenApi, type OpenApiOptions } from './open-api.ts';

/**
 * The page at /docs and the document at /docs-json. Call `OpenApi.describe` once the application is created.
 */
@Module({ controllers: [DocsController] })
export class OpenApiModule {
  static forRoot(options: OpenApiOptions): DynamicModule {
    return {
      module: OpenApiModule,
      imports: [PagesModule.forRoot({ page: 'docs', at: 'docs', assets: 'docs/assets' })],
      providers: [
        { provide: OpenApi, useFactory: (): OpenApi => new OpenApi(options) },
        { provide: DocsAssets, inject: [Disk], useFactory: (disk: Disk): DocsAssets => new DocsAssets(disk) },
      ],
      exports: [OpenApi],
    };
  }
}
