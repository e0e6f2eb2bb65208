/**
 * Types of the messages of proto/hive.proto, as @grpc/proto-loader's own generator makes them, in one file:
 * `…Wire`, read-only, with every field as it is received, and as we send it.
 *
 *   npm run proto-types         writes the file
 *   npm run proto-types:check   fails when it is not what the protocol says
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const PROTO = 'proto/hive.proto';
const TARGET = join(root, 'libs/load/protocol/src/proto/hive-messages.ts');
/** As `hive-proto.ts` loads it. */
const LOADING = ['--longs=Number', '--defaults', '--oneofs'];
const NAMES = ['--inputTemplate=%sInput', '--outputTemplate=%sWire'];

function generate(folder) {
  const program = join(root, 'node_modules/@grpc/proto-loader/build/bin/proto-loader-gen-types.js');
  const args = [program, ...LOADING, ...NAMES, `--outDir=${folder}`, PROTO];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`the generator ended with ${status}`);
}

/** A file for each message becomes one for all. What is sent has all fields too; of a oneof, one is there. */
function joined(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((path) =>
    /plexus.*(?<!\/Hive)\.ts$/.test(path),
  );
  const bodies = files.sort().map((path) =>
    readFileSync(join(folder, path), 'utf8')
      .replace(/^(import|\/\/) .*$/gm, '')
      .replaceAll('_plexus_hive_v1_', '')
      .replaceAll(/\{\[key: string\]: ([\w |]+)\}/g, 'Readonly<Record<string, $1>>')
      .replace(/^export interface \w+Input \{[^}]*^\}/gm, '')
      .replaceAll(/\((.*?)\)(?=;|\[)/g, '$1')
      .replaceAll(/\?: (\w+) \| null;/g, '?: $1;')
      .replaceAll(/(\w+)\[\]/g, 'readonly $1[]')
      .replaceAll(/^ {2}'/gm, "  readonly '")
      .replace(/^export interface \w+ \{\s*\}/gm, '')
      .replaceAll('Buffer', 'Uint8Array'),
  );
  return `/** Made from ${PROTO} by \`npm run proto-types\`; not to be edited. */\n${bodies.join('\n')}`;
}

const folder = mkdtempSync(join(tmpdir(), 'plexus-proto-'));
try {
  generate(folder);
  const options = await resolveConfig(TARGET);
  const text = await format(joined(folder), { ...options, parser: 'typescript' });
  if (!process.argv.includes('--check')) writeFileSync(TARGET, text);
  else if (readFileSync(TARGET, 'utf8') !== text) {
    console.error(`${TARGET} is not what ${PROTO} says: npm run proto-types`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
