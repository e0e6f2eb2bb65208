/**
 * Makes dist/programs: each program, and each worker thread that one starts, in a file of its own, with what
 * they import in chunks beside them. A program then reads some dozens of files when it starts, not 3,000
 * (ADR 0214). Beside a program's name stands a start file that lets Node keep its compiled code between runs.
 */
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, 'dist', 'programs');

/**
 * Native, looking for files or threads beside their own, not fit for the strict mode of modules, or with what
 * Node warns of outside packages. `supports-color` is taken by `debug` where it is there, which development
 * alone brings.
 */
const LEFT_OUT =
  /^(?:@duckdb|@grpc|grpc-health-check|secp256k1|supports-color|swagger-ui-dist|pino|pino-pretty|parquetjs-lite|pg)(?:\/|$)/;
/** Of what cannot be found here: packages that Nest takes when they are there. */
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

/** Names that a module has not. What asks for them reads files beside its own, and belongs to `LEFT_OUT`. */
const OWN_PLACE = /\b__(?:dirname|filename)\b/;

/** Throws for bundled code that asks where it lies: it would end a program where that code is reached. */
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

/** Folders of the packages whose code is in each file, for who hands the programs on. */
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
