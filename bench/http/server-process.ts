import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const START_MS_MAX = 60_000;
const LOG_CHARS_KEPT = 2_000;

/** A server as a child process, ready once its health endpoint answers. */
export class ServerProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async start(args: readonly string[], port: number): Promise<ServerProcess> {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-LOG_CHARS_KEPT);
    });
    const server = new ServerProcess(child, port);
    const deadline = performance.now() + START_MS_MAX;
    while (!(await server.#isHealthy())) {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${log}`);
      if (performance.now() > deadline) throw new Error(`did not start: ${log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return server;
  }

  async query(body: string): Promise<Uint8Array> {
    const reply = await fetch(`http://127.0.0.1:${this.port}/v1/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    if (reply.status !== 200) throw new Error(`expected 200, got ${reply.status}: ${await reply.text()}`);
    return reply.bytes();
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }

  async #isHealthy(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${this.port}/v1/health`)).ok;
    } catch {
      return false;
    }
  }
}
