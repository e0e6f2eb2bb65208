import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Disk } from '#platform/disk';

const PACKAGE = createRequire(import.meta.url).resolve('#package');
const PAGE = join(dirname(PACKAGE), 'docs', 'pql.md');

/** The page that documents PQL, as it stands beside the program. */
export class PqlReference {
  readonly #disk: Disk;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  text(): Promise<string> {
    return this.#disk.readText(PAGE);
  }
}
