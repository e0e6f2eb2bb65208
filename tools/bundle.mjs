/**
 * Builds dist/programs: each program, and each of its worker threads, in its own file, with imports in chunks
 * beside them. A program then reads some dozens of files at its start instead of 3,000 (ADR 0214). A start
 * file beside each program enables Node's compile cache.
 */
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, 'dist', 'programs');

/**
 * Packages that are native, look for files or threads beside their own, do not run in strict mode, or cause
 * warnings of Node outside node_modules. `debug` uses `supports-color` when it is present, which is only in
 * development.
 */
const LEFT_OUT =
  /^(?:@duckdb|@grpc|grpc-health-check|secp256k1|supports-color|swagger-ui-dist|pino|pino-pretty|parquetjs-lite|pg)(?:\/|$)/;
/** Its CommonJS form gets `require` as a parameter, so that its own parts are not found. */
const AS_MODULE = { 'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js') };
/** Optional packages of Nest that are not installed. */
const QUIET = new Set(['UNRESOLVED_IMPORT', 'EVAL']);

function entries() {
  const programs = globSync('dist/apps/*/src/main.js', { cwd: root }).map((path) => [
    `${path.split(/[/\\]/)[2]}-main`,
    path,
  ]);
  const workers = globSync('dist/libs/**/*-worker.js', { cwd: root }).map((path) => [
    basename(path, '.js'),
    path,
  ]);
  return Object.fromEntries([...programs, ...workers]);
}

/**
 * Names that a module does not have: code with them reads files beside its own, and belongs to `LEFT_OUT`.
 */
const OWN_PLACE = /\b__(?:dirname|filename)\b/;

/** Throws for bundled code that determines its own location: a program would fail where that code runs. */
function refuseOwnPlaces(output) {
  for (const { fileName, code = '' } of output) {
    const found = code.split('\n').find((line) => OWN_PLACE.test(line) && !line.includes('typeof __'));
    if (found !== undefined) throw new Error(`${fileName}: leave the package of this out: ${found.trim()}`);
  }
}

function startFile(name) {
  return `import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('./.compiled', import.meta.url)));
await import('./${name}.js');
`;
}

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const input = entries();
const bundle = await rolldown({
  input,
  cwd: root,
  platform: 'node',
  external: LEFT_OUT,
  resolve: { alias: AS_MODULE },
  onLog: (level, log, report) => {
    if (!QUIET.has(log.code)) report(level, log);
  },
});
const { output } = await bundle.write({
  dir: target,
  format: 'esm',
  keepNames: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunk-[name]-[hash].js',
});
refuseOwnPlaces(output);

/** Package folders of the code in each file, for packaging. */
function packagesByFile() {
  const folderOf = (id) =>
    /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? [];
  const entriesOf = output.map(({ fileName, moduleIds = [] }) => [
    fileName,
    [...new Set(moduleIds.flatMap(folderOf))].sort(),
  ]);
  return Object.fromEntries(entriesOf.sort());
}

writeFileSync(join(target, 'packages.json'), JSON.stringify(packagesByFile(), null, 2));
for (const name of Object.keys(input).filter((one) => one.endsWith('-main')))
  writeFileSync(join(target, `${name.slice(0, -'-main'.length)}.js`), startFile(name));
