/**
 * A load test on one machine, from nothing to a report: starts a sequencer, a hive and two edges on free
 * ports, runs samples/demo-load.yaml, saves the report as a page, and ends what it started. Its exit code is
 * the run's.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const directory = join(root, 'plexus-demo', new Date().toISOString().slice(0, 19).replaceAll(':', '-'));
const START_MS_MAX = 60_000;
const POLL_MS = 200;
const EDGES = ['edge-1', 'edge-2'];
const children = [];

/** Starts a program of the build; what it logs goes to a file of its own. */
function start(name, folder, args, stdout) {
  const log = openSync(join(directory, `${name}.log`), 'w');
  const main = join(root, 'dist', folder, 'src', 'main.js');
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', stdout ?? log, log] });
  children.push(child);
  return child;
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function until(what, isSo) {
  const deadline = Date.now() + START_MS_MAX;
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > deadline)
      throw new Error(`${what}: not within ${START_MS_MAX / 1_000} s; see ${shown(directory)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const shown = (path) => relative(process.cwd(), path) || '.';

/** The real EVM node where there is one, else the simulator: its RPC and feed addresses. */
async function startSequencer() {
  for (const mode of ['anvil', 'sim']) {
    const ports = ['--rpc-port', '0', '--feed-port', '0'];
    const child = start(`sequencer-${mode}`, 'tools/sequencer', ['--mode', mode, ...ports], 'pipe');
    for await (const line of createInterface({ input: child.stdout })) {
      const [rpcUrl] = /http:\/\/[\d.]+:\d+/.exec(line) ?? [];
      const [feedUrl] = /ws:\/\/[\d.]+:\d+/.exec(line) ?? [];
      if (rpcUrl !== undefined && feedUrl !== undefined) return { mode, rpcUrl, feedUrl };
    }
    console.log(`no sequencer in mode ${mode}; see ${shown(join(directory, `sequencer-${mode}.log`))}`);
  }
  throw new Error('expected a sequencer to start');
}

async function startHive() {
  const [httpPort, grpcPort] = [await freePort(), await freePort()];
  const ports = ['--http-port', String(httpPort), '--grpc-port', String(grpcPort)];
  start('hive', 'apps/hive', ['serve', '--data-dir', join(directory, 'data'), ...ports]);
  const url = `http://127.0.0.1:${httpPort}`;
  await until('the hive answers', async () => (await fetch(`${url}/health`)).ok);
  return { url, grpcAddress: `127.0.0.1:${grpcPort}` };
}

async function startEdges({ url, grpcAddress }) {
  for (const edgeId of EDGES) {
    const config = join(directory, `${edgeId}.toml`);
    writeFileSync(config, `edge_id = "${edgeId}"\n\n[hive]\naddress = "${grpcAddress}"\n`);
    start(edgeId, 'apps/edge', ['--config', config]);
  }
  await until('the edges register', async () => {
    const { edges } = await (await fetch(`${url}/edges`)).json();
    return edges.filter(({ status }) => status === 'connected').length === EDGES.length;
  });
}

/** With the live line and the verdicts of `plexus-hive run` on this terminal; gives its exit code. */
async function run({ url }, { rpcUrl, feedUrl }) {
  const main = join(root, 'dist', 'apps', 'hive', 'src', 'main.js');
  const target = ['--set', `target.rpc_urls.0=${rpcUrl}`, '--set', `target.feed_url=${feedUrl}`];
  const scenario = join(root, 'samples', 'demo-load.yaml');
  const args = [
    'run',
    scenario,
    '--wait',
    '--url',
    url,
    ...target,
    '--summary-json',
    join(directory, 'summary.json'),
  ];
  const child = spawn(process.execPath, [main, ...args], { stdio: 'inherit' });
  children.push(child);
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

async function saveReport(url) {
  const { runs } = await (await fetch(`${url}/runs`)).json();
  const page = await fetch(`${url}/runs/${runs[0].run_id}/report?format=html`);
  if (!page.ok) throw new Error(`the report: ${page.status} ${await page.text()}`);
  const path = join(directory, 'report.html');
  writeFileSync(path, await page.text());
  return path;
}

async function stopAll() {
  for (const child of children.toReversed()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void stopAll().finally(() => process.exit(130)));
}

if (!existsSync(directory)) mkdirSync(directory, { recursive: true });
try {
  const sequencer = await startSequencer();
  const hive = await startHive();
  await startEdges(hive);
  console.log(`sequencer (${sequencer.mode}) ${sequencer.rpcUrl}, hive ${hive.url}, ${EDGES.length} edges\n`);
  process.exitCode = await run(hive, sequencer);
  console.log(`\nreport: ${shown(await saveReport(hive.url))}`);
} catch (error) {
  console.error(`demo: ${error.message}`);
  process.exitCode = 1;
} finally {
  await stopAll();
}
