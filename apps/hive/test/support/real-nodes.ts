import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { JsonRpc, readNumber, RpcFailure } from '#load/worker';
import { freePort } from '#testing';

const ROOT = new URL('../../../../', import.meta.url);
const NODES = new URL('tools/nodes/', ROOT);
const MNEMONIC = 'test test test test test test test test test test test junk';
const CHAIN_ID = 31_337;

/** A node of another project in its usual configuration, with a funded development account. */
export interface NodeKind {
  readonly name: string;
  readonly script: string;
  /** Whether `script` is an executable, and not a script for Node. */
  readonly isProgram: boolean;
  readonly args: (port: number) => readonly string[];
  /** The line in the edge's log about a missing method. */
  readonly lacks?: RegExp;
}

const pathOf = (path: string, base = NODES): string => fileURLToPath(new URL(path, base));

export const NODE_KINDS: readonly NodeKind[] = [
  {
    name: 'anvil',
    script: pathOf('node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil', ROOT),
    isProgram: true,
    args: (port) => ['--port', String(port), '--block-time', '1', '--silent'],
  },
  {
    name: 'Hardhat',
    script: pathOf('node_modules/hardhat/internal/cli/cli.js'),
    isProgram: false,
    args: (port) => ['node', '--hostname', '127.0.0.1', '--port', String(port)],
    lacks: /load\.method_missing.*Method eth_getBlockReceipts is not supported/,
  },
  {
    name: 'ganache',
    script: pathOf('node_modules/ganache/dist/node/cli.js'),
    isProgram: false,
    args: (port) => [
      ...['--server.host', '127.0.0.1', '--server.port', String(port), '--logging.quiet'],
      // One block for each transaction, the default: with a block time, some of several simultaneous
      // transactions of one account stay pending for ever.
      ...['--chain.chainId', String(CHAIN_ID), '--wallet.mnemonic', MNEMONIC],
    ],
    lacks: /load\.method_missing.*eth_getBlockReceipts does not exist/,
  },
];

export function isInstalled({ script }: NodeKind): boolean {
  return existsSync(script);
}

/** A running node on a free port. */
export class RealNode {
  readonly url: string;
  readonly #child: ChildProcess;

  static async start({ script, isProgram, args }: NodeKind): Promise<RealNode> {
    const port = await freePort();
    const [program, first] = isProgram ? [script, []] : [process.execPath, [script]];
    const child = spawn(program, [...first, ...args(port)], {
      cwd: fileURLToPath(NODES),
      stdio: 'ignore',
      env: { ...process.env, NODE_OPTIONS: '', CI: '1', HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' },
    });
    const node = new RealNode(`http://127.0.0.1:${port}`, child);
    await node.#answers();
    return node;
  }

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Resolves when the node responds; rejects if its process ends before. */
  async #answers(): Promise<void> {
    const rpc = new JsonRpc({ url: this.url, timeoutMs: 2_000, connections: 1 });
    try {
      while (this.#child.exitCode === null) {
        const chainId = await rpc.call('eth_chainId', [], readNumber).catch((error: unknown) => {
          if (error instanceof RpcFailure) return undefined;
          throw error;
        });
        if (chainId === CHAIN_ID) return;
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      await rpc.close();
    }
    throw new Error(`the node has ended with ${String(this.#child.exitCode)}`);
  }
}
