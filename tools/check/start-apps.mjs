/**
 * Starts each built app with its own folder and ports, checks its health, and ends it with SIGTERM.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const START_MS_MAX = 60_000;

/** The command line of each app, and its health URL. */
const APPS = {
  graph: { args: (folder) => ['serve', '--data-dir', folder, '--port', '0'], path: '/v1/health' },
  hive: {
    args: (folder) => ['serve', '--data-dir', folder, '--http-port', '0', '--grpc-port', '0'],
    path: '/health',
  },
  edge: { args: (folder) => ['--config', edgeSample(folder)], path: '/health', says: '"disconnected"' },
  'proxy-admin': { args: (folder) => ['run', proxySample(folder)], path: '/admin/v1/live' },
  sequencer: {
    args: () => ['--mode', 'sim', '--rpc-port', '0', '--feed-port', '0'],
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
    says: '0x64aba',
  },
};

/** The sample, on any port; without a hive. */
function edgeSample(folder) {
  const sample = readFileSync(join(root, 'samples', 'edge.toml'), 'utf8');
  const file = join(folder, 'edge.toml');
  writeFileSync(file, sample.replace(':9464', ':0').replace(':9090', ':1'));
  return file;
}

/** The sample, on any ports, without endpoints. */
function proxySample(folder) {
  const sample = readFileSync(join(root, 'samples', 'proxy.yaml'), 'utf8');
  const file = join(folder, 'proxy.yaml');
  const onAnyPorts = sample
    .replaceAll(/127\.0\.0\.1:(?:9901|8080)/g, '127.0.0.1:0')
    .replaceAll(':7700', ':1');
  writeFileSync(file, `${onAnyPorts}\ndrain: { grace: 100ms, timeout: 5s }\n`);
  return file;
}

/** The address that the app prints or logs when it listens. */
async function addressOf(app, output) {
  const said = new PassThrough();
  for (const stream of [app.stdout, app.stderr]) stream.pipe(said, { end: false });
  app.once('exit', () => said.end());
  for await (const line of createInterface({ input: said })) {
    output.push(line);
    const [address] = /http:\/\/[^\s"/,]+/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('ended before it listened');
}

async function tryApp(name, { args, path = '/', body: question, says = '' }) {
  const folder = mkdtempSync(join(tmpdir(), `plexus-${name}-`));
  const output = [];
  const main = join(root, 'dist', 'programs', `${name}.js`);
  const app = spawn(process.execPath, [main, ...args(folder)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const deadline = setTimeout(() => app.kill('SIGKILL'), START_MS_MAX);
  const ended = once(app, 'exit');
  try {
    const address = await addressOf(app, output);
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(address + path, {
      ...(question !== undefined && { method: 'POST', headers, body: question }),
    });
    const body = await reply.text();
    if (reply.status !== 200 || !body.includes(says)) {
      throw new Error(`${path} answers ${reply.status}: ${body}`);
    }
    app.kill('SIGTERM');
    const [code, signal] = await ended;
    if (code !== 0) throw new Error(`SIGTERM ends it with ${signal ?? `exit code ${code}`}`);
  } catch (error) {
    app.kill('SIGKILL');
    await ended;
    throw new Error([`${name}: ${error.message}`, ...output].join('\n'), { cause: error });
  } finally {
    clearTimeout(deadline);
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const name of readdirSync(join(root, 'apps'))) {
  const app = APPS[name];
  if (app === undefined) throw new Error(`apps/${name}: say in tools/check/start-apps.mjs how it is started`);
  await tryApp(name, app);
  console.log(`${name} starts, answers and ends`);
}
