/** The built programs of a load test on this machine, on free ports; each logs to its own file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const START_MS_MAX = 60_000;
/** Further time for each edge: they start together, on the same processors. */
const EDGE_MS_MAX = 2_000;
const POLL_MS = 200;

export const shown = (path) => relative(process.cwd(), path) || '.';

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export class LocalLoad {
  #children = [];

  constructor(directory) {
    this.directory = directory;
    mkdirSync(directory, { recursive: true });
    for (const signal of ['SIGINT', 'SIGTERM']) {
      process.once(signal, () => void this.stopAll().finally(() => process.exit(130)));
    }
  }

  path(name) {
    return join(this.directory, name);
  }

  logOf(name) {
    return this.path(`${name}.log`);
  }

  /** Starts a program; `stdout` replaces its log. */
  start(name, launcher, args, stdout) {
    const log = openSync(this.logOf(name), 'w');
    const child = spawn(join(root, 'bin', launcher), args, { stdio: ['ignore', stdout ?? log, log] });
    this.#children.push(child);
    return child;
  }

  /** Its addresses; undefined when it ends instead. */
  async startSequencer(name, args) {
    const ports = ['--rpc-port', '0', '--feed-port', '0'];
    const child = this.start(name, 'plexus-sequencer', [...ports, ...args], 'pipe');
    for await (const line of createInterface({ input: child.stdout })) {
      const [rpcUrl] = /http:\/\/[\d.]+:\d+/.exec(line) ?? [];
      const [feedUrl] = /ws:\/\/[\d.]+:\d+/.exec(line) ?? [];
      if (rpcUrl !== undefined && feedUrl !== undefined) return { child, rpcUrl, feedUrl };
    }
    return undefined;
  }

  async startHive() {
    const [httpPort, grpcPort] = [await freePort(), await freePort()];
    const ports = ['--http-port', String(httpPort), '--grpc-port', String(grpcPort)];
    this.start('hive', 'plexus-hive', ['serve', '--data-dir', this.path('data'), ...ports]);
    const url = `http://127.0.0.1:${httpPort}`;
    await this.until('the hive responds', async () => (await fetch(`${url}/health`)).ok);
    return { url, grpcAddress: `127.0.0.1:${grpcPort}` };
  }

  async startEdges({ url, grpcAddress }, edgeIds) {
    for (const edgeId of edgeIds) {
      const config = this.path(`${edgeId}.toml`);
      writeFileSync(config, `edge_id = "${edgeId}"\n\n[hive]\naddress = "${grpcAddress}"\n`);
      this.start(edgeId, 'plexus-edge', ['--config', config]);
    }
    const areAllThere = async () => {
      const { edges } = await (await fetch(`${url}/edges`)).json();
      return edges.filter(({ status }) => status === 'connected').length === edgeIds.length;
    };
    await this.until('the edges register', areAllThere, START_MS_MAX + edgeIds.length * EDGE_MS_MAX);
  }

  /** Runs `plexus-hive run --wait` with this scenario; returns its exit code. Some nodes have no feed. */
  async run({ url }, { rpcUrl, feedUrl }, { scenario, args = [], stdio = 'inherit' }) {
    const main = join(root, 'dist', 'programs', 'hive.js');
    const feed = feedUrl === undefined ? [] : ['--set', `target.feed_url=${feedUrl}`];
    const target = ['--set', `target.rpc_urls.0=${rpcUrl}`, ...feed];
    const child = spawn(
      process.execPath,
      [main, 'run', scenario, '--wait', '--url', url, ...target, ...args],
      {
        stdio,
      },
    );
    this.#children.push(child);
    const [code] = await once(child, 'exit');
    return code ?? 1;
  }

  freePort() {
    return freePort();
  }

  /** Starts a third-party script; it logs to its own file. */
  startScript(name, script, args, options) {
    const log = openSync(this.logOf(name), 'w');
    const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', log, log], ...options });
    this.#children.push(child);
    return child;
  }

  async stop(child) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  async stopAll() {
    for (const child of this.#children.toReversed()) await this.stop(child);
  }

  async until(what, isSo, msMax = START_MS_MAX) {
    const deadline = Date.now() + msMax;
    while (!(await isSo().catch(() => false))) {
      if (Date.now() > deadline) {
        throw new Error(`${what}: not within ${msMax / 1_000} s; see ${shown(this.directory)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}
