/**
 * Builds the archives: dist/release/<product>-<version>-linux-x64.tar.gz, with Node, the built program, its
 * pages and only the files that it loads. The build is reproducible.
 *
 *   pack.mjs                              all products
 *   pack.mjs [--out <folder>] <product>…  only these: plexus, plexus-proxy, plexus-load
 *   pack.mjs --level 1                    with gzip's fastest level instead of 6, in two fifths of its time
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { archive, writeSums } from './pack/archive.mjs';
import { billOf } from './pack/bill.mjs';
import { layOut } from './pack/layout.mjs';
import { packagesOf } from './pack/packages.mjs';
import { PRODUCTS } from './pack/products.mjs';
import { traceProgram } from './pack/trace.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const versionIn = (manifest) => JSON.parse(readFileSync(join(root, manifest), 'utf8')).version;
const version = versionIn('package.json');
/** The Node of the lock file, whichever Node runs this. */
const runtime = {
  path: join(root, 'node_modules/node/bin/node'),
  manifest: 'node_modules/node/package.json',
};

/** A fault of the machine or the command line; printed without a stack. */
class Refusal extends Error {}

async function pack(name, { out, level }) {
  const product = PRODUCTS[name];
  const title = `${name}-${version}-linux-x64`;
  const work = mkdtempSync(join(tmpdir(), 'plexus-pack-'));
  try {
    const folder = join(work, title);
    const files = await traceProgram(root, product);
    const packages = packagesOf(root, files, product.pages);
    const bill = billOf({ name, version, packages, node: versionIn(runtime.manifest) });
    layOut({ root, folder, name, product, files, packages, bill, node: runtime.path });
    writeSums(folder);
    const path = join(out, `${title}.tar.gz`);
    const unpacked = await archive(work, title, path, level);
    const [packed, megabytes] = [statSync(path).size, (bytes) => (bytes / 1e6).toFixed(1)];
    console.log(
      `${path}: ${megabytes(packed)} MB, unpacked ${megabytes(unpacked)} MB, ${files.length} files traced`,
    );
  } finally {
    rmSync(work, { recursive: true });
  }
}

function checkMachine() {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Refusal(`archives for linux-x64 are made there, this is ${process.platform}-${process.arch}`);
  for (const [command, words] of Object.entries({ strip: 'GNU strip', tar: 'GNU tar', gzip: 'gzip' })) {
    const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
    if (!stdout?.includes(words))
      throw new Refusal(`needs ${words} (Debian: apt-get install binutils tar gzip)`);
  }
  if (!existsSync(runtime.path)) throw new Refusal('needs the Node that npm installs: npm rebuild node');
}

async function main() {
  const options = {
    out: { type: 'string', default: join(root, 'dist', 'release') },
    level: { type: 'string', default: '6' },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const unknown = positionals.find((name) => !(name in PRODUCTS));
  if (unknown !== undefined)
    throw new Refusal(`no product ${unknown}: there are ${Object.keys(PRODUCTS).join(', ')}`);
  checkMachine();
  mkdirSync(values.out, { recursive: true });
  const names = positionals.length > 0 ? positionals : Object.keys(PRODUCTS);
  // One archive is compressed while the next is traced.
  await Promise.all(names.map((name) => pack(name, values)));
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`pack: ${error.message}\n`);
  process.exitCode = 1;
}
