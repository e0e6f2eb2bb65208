import type { Disk } from '#platform/disk';
import { installedPath } from '#platform/foundation';

const PAGE = installedPath('docs', 'pql.md');

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
