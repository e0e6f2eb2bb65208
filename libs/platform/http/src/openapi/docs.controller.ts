import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiExcludeController, type OpenAPIObject } from '@nestjs/swagger';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Public, Requires } from '#platform/auth';
import type { Disk } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { OpenApi } from './open-api.ts';

/** Files of Swagger UI, from its package. */
export class DocsAssets {
  readonly #disk: Disk;
  readonly #directory: string;

  constructor(disk: Disk) {
    this.#disk = disk;
    this.#directory = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  }

  async read(name: 'swagger-ui-bundle.js' | 'swagger-ui.css'): Promise<Buffer> {
    return Buffer.from(await this.#disk.readBytes(join(this.#directory, name)));
  }
}

const SCRIPT = 'text/javascript; charset=utf-8';
const CACHED = 'private, max-age=3600';

/**
 * The documentation page and its document. Swagger UI may be public; the document requires the key like any
 * data.
 */
@ApiExcludeController()
@Controller()
export class DocsController {
  readonly #openApi: OpenApi;
  readonly #assets: DocsAssets;

  constructor(@Inject(OpenApi) openApi: OpenApi, @Inject(DocsAssets) assets: DocsAssets) {
    this.#openApi = openApi;
    this.#assets = assets;
  }

  @Get('docs/swagger-ui-bundle.js')
  @Requires('read', { keepsScope: true })
  @Public('docs')
  @Header('Content-Type', SCRIPT)
  @Header('Cache-Control', CACHED)
  bundle(): Promise<Buffer> {
    return this.#assets.read('swagger-ui-bundle.js');
  }

  @Get('docs/swagger-ui.css')
  @Requires('read', { keepsScope: true })
  @Public('docs')
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('Cache-Control', CACHED)
  style(): Promise<Buffer> {
    return this.#assets.read('swagger-ui.css');
  }

  @Get('docs-json')
  @Requires('read', { keepsScope: true })
  document(): OpenAPIObject {
    const { document } = this.#openApi;
    if (document === undefined) throw new DomainError('NOT_FOUND', 'no such path');
    return document;
  }
}
