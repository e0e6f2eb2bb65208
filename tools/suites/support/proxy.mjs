/** The built proxy in front of a server of a suite. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../dist/programs/proxy-admin.js', import.meta.url));
const START_MS_MAX = 30_000;
const POLL_MS = 50;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/**
 * Runs `use({port, admin})` with a proxy whose only route leads to `upstreamPort`; `admin` is the base URL of
 * its admin server.
 */
export async function withProxy(upstreamPort, use) {
  const [port, adminPort] = [await freePort(), await freePort()];
  const directory = await mkdtemp(join(tmpdir(), 'plexus-suite-'));
  const file = join(directory, 'proxy.yaml');
  const config = {
    admin_address: `127.0.0.1:${adminPort}`,
    listeners: [{ name: 'web', address: `127.0.0.1:${port}`, access_log: true }],
    clusters: [{ name: 'suite', endpoints: [{ address: `127.0.0.1:${upstreamPort}` }] }],
    routes: [{ prefix: '/', cluster: 'suite', websocket: true }],
    drain: { grace: '0s', timeout: '1s' },
  };
  await writeFile(file, JSON.stringify(config));
  // Its log is not read.
  const child = spawn(process.execPath, [MAIN, 'run', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const admin = `http://127.0.0.1:${adminPort}`;
  try {
    await ready(admin, child);
    return await use({ port, admin });
  } finally {
    child.kill('SIGKILL');
    await ended;
    await rm(directory, { recursive: true });
  }
}

async function ready(admin, child) {
  const deadline = performance.now() + START_MS_MAX;
  while (performance.now() < deadline && child.exitCode === null) {
    const status = await fetch(`${admin}/ready`).then(
      ({ status: found }) => found,
      () => 0,
    );
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error('the proxy did not start; was it built?');
}
