/**
 * Generates the message types of proto/ with @grpc/proto-loader's generator, one read-only file for each
 * protocol: `…Wire` with every field as received, and for the graph service `…Sent` as it may be sent, with
 * the client of its tests.
 *
 *   npm run proto-types         writes the files
 *   npm run proto-types:check   fails when a file differs from its protocol
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const PROTOCOLS = [
  {
    proto: 'proto/hive.proto',
    service: 'Hive',
    // The options of `hive-proto.ts`.
    loading: ['--longs=Number', '--defaults', '--oneofs'],
    target: 'libs/load/protocol/src/generated/hive-messages.ts',
    // Sent messages have all fields too; of a oneof, one is set.
    isSentAsReceived: true,
  },
  {
    proto: 'proto/graph.proto',
    service: 'Graph',
    // The options of `graph-proto.ts`.
    loading: ['--longs=String', '--enums=String', '--defaults', '--oneofs'],
    target: 'libs/graph/api/grpc/src/generated/graph-messages.ts',
    client: { target: 'libs/graph/testing/src/grpc/graph-client.ts', messages: '#graph/api/grpc' },
  },
];
const NAMES = ['--inputTemplate=%sSent', '--outputTemplate=%sWire', '--grpcLib=@grpc/grpc-js'];

function generate({ proto, loading }, folder) {
  const program = join(root, 'node_modules/@grpc/proto-loader/build/bin/proto-loader-gen-types.js');
  const args = [program, ...loading, ...NAMES, `--outDir=${folder}`, proto];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`the generator ended with ${status}`);
}

/** The file without imports, and without the package name before message names. */
function bodyOf(path) {
  return readFileSync(path, 'utf8')
    .replace(/^(import|\/\/) .*$/gm, '')
    .replaceAll(/_plexus_\w+?_v1_/g, '');
}

const heading = (proto) => `/** Made from ${proto} by \`npm run proto-types\`; not to be edited. */\n`;

/** Merges one file per message into a single file. */
function messages({ proto, service, isSentAsReceived = false }, folder) {
  const files = readdirSync(folder, { recursive: true }).filter(
    (path) => /plexus\/.*\.ts$/.test(path) && !path.endsWith(`/${service}.ts`),
  );
  const bodies = files.sort().map((path) => {
    const body = bodyOf(join(folder, path))
      .replaceAll(/\{\[key: string\]: ([\w |]+)\}/g, 'Readonly<Record<string, $1>>')
      .replaceAll(' | Long', '');
    return (isSentAsReceived ? body.replace(/^export interface \w+Sent \{[^}]*^\}/gm, '') : body)
      .replaceAll(/\((.*?)\)(?=;|\[)/g, '$1')
      .replaceAll(/\?: (\w+) \| null;/g, '?: $1;')
      .replaceAll(/(\w+)\[\]/g, 'readonly $1[]')
      .replaceAll(/^ {2}'/gm, "  readonly '")
      .replace(
        /^export interface (\w+) \{\s*\}/gm,
        isSentAsReceived ? '' : 'export type $1 = Readonly<Record<string, never>>;',
      )
      .replaceAll('Buffer', 'Uint8Array');
  });
  return heading(proto) + bodies.join('\n');
}

/** Only the client of the service, with the messages that it uses. */
function client({ proto, service, client: { messages: from } }, folder) {
  const [path] = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(`/${service}.ts`));
  const [text = ''] =
    new RegExp(`^export interface ${service}Client [^]*?^\\}`, 'm').exec(bodyOf(join(folder, path))) ?? [];
  const named = [...new Set(text.match(/\w+(Sent|Wire)\b/g))].sort();
  const imports = `import type * as grpc from '@grpc/grpc-js';\nimport type { ${named.join(', ')} } from '${from}';\n`;
  return heading(proto) + imports + text;
}

async function settle(target, text) {
  const path = join(root, target);
  const options = await resolveConfig(path);
  const formatted = await format(text, { ...options, parser: 'typescript' });
  if (!process.argv.includes('--check')) writeFileSync(path, formatted);
  else if (readFileSync(path, 'utf8') !== formatted) {
    console.error(`${target} is not what its protocol says: npm run proto-types`);
    process.exitCode = 1;
  }
}

for (const protocol of PROTOCOLS) {
  const folder = mkdtempSync(join(tmpdir(), 'plexus-proto-'));
  try {
    generate(protocol, folder);
    await settle(protocol.target, messages(protocol, folder));
    if (protocol.client !== undefined) await settle(protocol.client.target, client(protocol, folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
