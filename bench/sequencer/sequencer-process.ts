import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cpuMsOf } from '../harness/process-cost.ts';

const MAIN = fileURLToPath(new URL('../../dist/apps/sequencer/src/main.js', import.meta.url));
const READY = /rpc http:\/\/127\.0\.0\.1:(\d+), feed ws:\/\/127\.0\.0\.1:(\d+)$/;

/** The built sequencer on free ports. */
export class SequencerProcess {
  readonly rpcPort: number;
  readonly feedPort: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, rpcPort: number, feedPort: number) {
    this.#child = child;
    this.rpcPort = rpcPort;
    this.feedPort = feedPort;
  }

  static async start(mode: string): Promise<SequencerProcess> {
    const args = [MAIN, '--mode', mode, '--rpc-port', '0', '--feed-port', '0'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const text of createInterface(child.stdout)) {
      const [, rpcPort, feedPort] = READY.exec(text) ?? [];
      if (rpcPort !== undefined) return new SequencerProcess(child, Number(rpcPort), Number(feedPort));
    }
    throw new Error(`the sequencer of mode ${mode} ended before it was ready`);
  }

  /** Its processor time, without its children; NaN where there is no /proc. */
  cpuMs(): number {
    return cpuMsOf(this.#child.pid ?? 0);
  }

  async end(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}
