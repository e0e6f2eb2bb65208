/** The built proxy as a child process, controlled through its admin server. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { pause } from './chance.ts';
import { Page } from './page.ts';

const MAIN = new URL('../../dist/apps/proxy-admin/src/main.js', import.meta.url).pathname;
const START_MS_MAX = 60_000;
const POLL_MS = 100;
const CHANGE = { method: 'POST', headers: { 'content-type': 'application/json' } };
/** The gauges in the detail of clusters. */
const GAUGE = /^(used|active|active_requests|activeRequests|cxActive|requestsActive|downstreamCxActive)$/;

export class SoakedProxy {
  readonly #child: ChildProcess;
  readonly #file: string;
  readonly #origin: string;

  static async start(file: string, configuration: object, adminPort: number): Promise<SoakedProxy> {
    writeFileSync(file, JSON.stringify(configuration));
    const proxy = new SoakedProxy(file, adminPort);
    const untilMs = performance.now() + START_MS_MAX;
    while (!(await proxy.isReady())) {
      if (performance.now() > untilMs || proxy.hasEnded) throw new Error('the proxy did not start');
      await pause(POLL_MS);
    }
    return proxy;
  }

  private constructor(file: string, adminPort: number) {
    this.#file = file;
    this.#origin = `http://127.0.0.1:${adminPort}`;
    this.#child = spawn(process.execPath, [MAIN, 'run', file], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, PLEXUS_LOG_LEVEL: 'error' },
    });
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The resident memory of the main process and its workers. */
  get residentBytes(): number {
    const { pid } = this.#child;
    const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/);
    const pids = [String(pid), ...workers.filter((worker) => worker !== '')];
    return pids.reduce((sum, each) => sum + residentBytesOf(each), 0);
  }

  async isReady(): Promise<boolean> {
    const reply = await fetch(`${this.#origin}/ready`).catch(() => undefined);
    await reply?.text();
    return reply?.status === 200;
  }

  async page(): Promise<Page> {
    const reply = await fetch(`${this.#origin}/stats`);
    return new Page(await reply.text());
  }

  /** All nonzero gauges, as `path: number`; empty at rest. */
  async underWay(): Promise<string[]> {
    const reply = await fetch(`${this.#origin}/admin/v1/clusters`);
    return gaugesOf(await reply.json(), '');
  }

  /** Returns the status: 200, or 422 for an invalid configuration. */
  async reload(configuration: object | string): Promise<number> {
    const text = typeof configuration === 'string' ? configuration : JSON.stringify(configuration);
    writeFileSync(this.#file, text);
    const reply = await fetch(`${this.#origin}/admin/v1/reload`, CHANGE);
    await reply.text();
    return reply.status;
  }

  /** Returns the exit code. */
  async drain(): Promise<number | null> {
    if (!this.hasEnded) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await ended;
    }
    return this.#child.exitCode;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

function residentBytesOf(pid: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1_024;
}

function gaugesOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (GAUGE.test(key) && typeof inner === 'number' && inner !== 0) return [`${path}.${key}: ${inner}`];
    return gaugesOf(inner, `${path}.${key}`);
  });
}
