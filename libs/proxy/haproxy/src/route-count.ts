import { join } from 'node:path';
import { type Disk, DiskError } from '#platform/disk';

const ROUTE_LINE = /^[ \t]*(?:use_backend|default_backend)[ \t]/gm;

/** Number of HAProxy's routes: the lines of its configuration that choose a backend. */
export class RouteCount {
  readonly #disk: Disk;
  readonly #path: string | undefined;
  #text: string | undefined;

  /** `path` is HAProxy's configuration; without it, each frontend counts as a route. */
  constructor(disk: Disk, path: string | undefined) {
    this.#disk = disk;
    this.#path = path;
  }

  /** Returns whether the configuration has changed. Rejects with DiskError. */
  async read(): Promise<boolean> {
    const before = this.#text;
    if (this.#path !== undefined) this.#text = await readConfig(this.#disk, this.#path);
    return before !== this.#text;
  }

  count(frontends: number): number {
    return this.#text === undefined ? frontends : (this.#text.match(ROUTE_LINE)?.length ?? 0);
  }
}

/** Content of a file, or of the `*.cfg` files of a directory in the order of HAProxy. */
async function readConfig(disk: Disk, path: string): Promise<string> {
  const names = await disk.list(path).catch((error: unknown) => {
    if (error instanceof DiskError && error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (names === undefined) return disk.readLooseText(path);
  const parts = names
    .filter((name) => name.endsWith('.cfg'))
    .map((name) => disk.readLooseText(join(path, name)));
  return (await Promise.all(parts)).join('\n');
}
