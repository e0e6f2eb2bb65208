import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effort } from '#testing';
import { run } from './installed-program.ts';

export const ROOT = join(import.meta.dirname, '../..');
export const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
};

export type Product = 'plexus' | 'plexus-proxy' | 'plexus-load';

/** The part of a CycloneDX file that the tests use. */
export interface Bill {
  readonly metadata: { readonly component: { readonly version: string } };
  readonly components: readonly {
    readonly name: string;
    readonly group?: string;
    readonly version: string;
    readonly purl: string;
    readonly licenses?: readonly unknown[];
  }[];
}

/** Why no archive can be built and inspected here; undefined when it can. */
export function whyNone(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return `archives are for linux-x64, this is ${process.platform}-${process.arch}`;
  const { status } = spawnSync('sh', ['-c', 'command -v strip && command -v readelf']);
  return status === 0 ? undefined : 'strip and readelf are missing (Debian: apt-get install binutils)';
}

/** `npm run check` uses the compression level of releases. */
const LEVEL = effort('6', '1');

/** Archives built by `npm run pack`, in a temporary folder. */
export class Archives {
  readonly folder: string;

  static async make(...products: readonly Product[]): Promise<Archives> {
    const folder = await mkdtemp(join(tmpdir(), 'plexus-archives-'));
    const words = [
      process.execPath,
      join(ROOT, 'tools/pack.mjs'),
      '--out',
      folder,
      '--level',
      LEVEL,
      ...products,
    ];
    const { code, stderr } = await run(words, { folder: ROOT });
    if (code !== 0) throw new Error(`expected archives: ${stderr}`);
    return new Archives(folder);
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  pathOf(product: Product): string {
    return join(this.folder, `${product}-${VERSION}-linux-x64.tar.gz`);
  }

  /** Unpacks it into an empty folder. */
  async unpack(product: Product): Promise<string> {
    const site = await mkdtemp(join(this.folder, 'site-'));
    const { code, stderr } = await run(['tar', '-xzf', this.pathOf(product)], { folder: site });
    if (code !== 0) throw new Error(`expected an archive: ${stderr}`);
    return join(site, `${product}-${VERSION}-linux-x64`);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Paths of all files below, sorted. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();
}

export function billOf(folder: string): Bill {
  return JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')) as Bill;
}

/** The command line of a service unit, with replaced paths. */
export function commandOf(
  folder: string,
  unit: string,
  places: Readonly<Record<string, string>>,
): readonly string[] {
  const text = readFileSync(join(folder, 'systemd', unit), 'utf8');
  const line = /^ExecStart=(.+)$/m.exec(text)?.[1] ?? '';
  const moved = Object.entries(places).reduce((shown, [from, to]) => shown.replaceAll(from, to), line);
  return moved.split(' ');
}
