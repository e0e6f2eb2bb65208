import { type DynamicModule, Module } from '@nestjs/common';
import { Disk } from '#platform/disk';
import { constructed } from '#platform/runtime';
import { PlatformModule } from '#platform/runtime/module';
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
      imports: [PlatformModule, PagesModule.forRoot({ page: 'docs', at: 'docs', assets: 'docs/assets' })],
      providers: [
        { provide: OpenApi, useFactory: (): OpenApi => new OpenApi(options) },
        constructed(DocsAssets, [Disk]),
      ],
      exports: [OpenApi],
    };
  }
}
