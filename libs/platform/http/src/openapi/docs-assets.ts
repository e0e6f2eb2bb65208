import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Disk } from '#platform/disk';

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
