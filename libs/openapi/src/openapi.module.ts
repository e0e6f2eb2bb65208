import { type DynamicModule, Module } from '@nestjs/common';
import { NodeDisk } from '#disk';
import { DocsAssets } from './docs-assets.ts';
import { DocsController } from './docs.controller.ts';
import { OpenApi, type OpenApiOptions } from './open-api.ts';

/** The page at /docs and the document at /docs-json. Call `OpenApi.describe` once the application is made. */
@Module({ controllers: [DocsController] })
export class OpenApiModule {
  static forRoot(options: OpenApiOptions): DynamicModule {
    const openApi = { provide: OpenApi, useValue: new OpenApi(options) };
    const assets = { provide: DocsAssets, useValue: new DocsAssets(new NodeDisk()) };
    return { module: OpenApiModule, providers: [openApi, assets], exports: [OpenApi] };
  }
}
