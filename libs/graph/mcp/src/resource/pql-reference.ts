import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Disk } from '#platform/disk';

const LEVELS_UP = '../../../../../';
/** Sources are read where tests run them; else this file is itself in dist. */
const ROOT = fileURLToPath(
  new URL(import.meta.filename.endsWith('.ts') ? LEVELS_UP : `../${LEVELS_UP}`, import.meta.url),
);

/** The page that documents PQL, as it stands beside the program. */
export class PqlReference {
  readonly #disk: Disk;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  text(): Promise<string> {
    return this.#disk.readText(join(ROOT, 'docs/pql.md'));
  }
}
