import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAMS = fileURLToPath(new URL('../../../../dist/programs/', import.meta.url));

export type Environment = Readonly<Record<string, string>>;

/** A built program as a child process, with all its output lines; requires `npm run build`. */
export class Program {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: string[] = [];
  readonly #closed: Promise<number | null>;
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(app: string, args: readonly string[], environment: Environment = {}) {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !name.startsWith('PLEXUS_') && name !== 'NODE_OPTIONS',
    );
    this.child = spawn(process.execPath, [join(PROGRAMS, `${app}.js`), ...args], {
      env: { ...Object.fromEntries(inherited), ...environment },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      createInterface(stream).on('line', (line) => this.#record(line));
    }
    this.#closed = once(this.child, 'close').then(([code]: unknown[]) => {
      this.#isClosed = true;
      this.#look();
      return code as number | null;
    });
  }

  /** The first matching line at or after index `from`. Rejects if the program ends without one. */
  said(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.lines.slice(from).map((line) => pattern.exec(line));
        const first = found.find((match) => match !== null);
        if (first === undefined && !this.#isClosed) return;
        this.#waiting.delete(look);
        if (first === undefined) reject(new Error(`expected ${pattern.source} of:\n${this.text}`));
        else resolve(first);
      };
      this.#waiting.add(look);
      look();
    });
  }

  get text(): string {
    return this.lines.join('\n');
  }

  /** The exit code, or null if a signal ended the process. */
  get ended(): Promise<number | null> {
    return this.#closed;
  }

  end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.#closed;
  }

  #record(line: string): void {
    this.lines.push(line);
    this.#look();
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }
}

/** A running hive. */
export class HiveProgram extends Program {
  url = '';
  grpcAddress = '';

  static async start(
    directory: string,
    args: readonly string[] = [],
    environment: Environment = {},
  ): Promise<HiveProgram> {
    const ports = ['--http-port', '0', '--grpc-port', '0'];
    const hive = new HiveProgram(
      'hive',
      ['serve', '--data-dir', directory, '--log-format', 'json', ...ports, ...args],
      environment,
    );
    const [, url = '', grpc = ''] = await hive.said(
      /"event":"server.listening","url":"([^"]+)","grpc":"([^"]+)"/,
    );
    hive.url = url;
    hive.grpcAddress = grpc;
    return hive;
  }

  get grpcPort(): string {
    return this.grpcAddress.split(':')[1] ?? '';
  }

  async json<Body>(path: string): Promise<Body> {
    return bodyOf<Body>(await fetch(this.url + path));
  }

  async post<Body>(path: string, body: unknown): Promise<Body> {
    const headers = { 'Content-Type': 'application/json' };
    const reply = await fetch(this.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return bodyOf<Body>(reply);
  }
}

async function bodyOf<Body>(reply: Response): Promise<Body> {
  if (!reply.ok) throw new Error(`${reply.url}: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as Body;
}

export interface EdgeProgramOptions {
  readonly edgeId: string;
  readonly hiveAddress: string;
  /** The directory of its edge.toml. */
  readonly folder: string;
  /** Further lines of edge.toml. */
  readonly more?: string;
  readonly environment?: Environment;
}

/** Starts an edge, without waiting for its connection to the hive. */
export function startEdge(options: EdgeProgramOptions): Program {
  const { edgeId, hiveAddress, folder, more = '', environment } = options;
  const file = join(folder, `${edgeId}.toml`);
  writeFileSync(file, `edge_id = "${edgeId}"\n[hive]\naddress = "${hiveAddress}"\n${more}`);
  return new Program('edge', ['--config', file, '--log-format', 'json'], environment);
}

/** A running simulated sequencer. */
export class SequencerProgram extends Program {
  rpcUrl = '';
  feedUrl = '';

  static async start(...args: readonly string[]): Promise<SequencerProgram> {
    const ports = ['--rpc-port', '0', '--feed-port', '0'];
    const sim = new SequencerProgram('sequencer', ['--mode', 'sim', ...ports, ...args]);
    const [, rpc = '', feed = ''] = await sim.said(/is ready: .*, rpc (\S+), feed (\S+)$/);
    sim.rpcUrl = rpc;
    sim.feedUrl = feed;
    return sim;
  }

  async call<Result>(method: string, ...params: readonly unknown[]): Promise<Result> {
    const reply = await fetch(this.rpcUrl, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return ((await reply.json()) as { result: Result }).result;
  }

  /** Hashes of all sequenced transactions with this value, in order. */
  async sequencedOf(value: number): Promise<readonly string[]> {
    const head = Number(await this.call<string>('eth_blockNumber'));
    const hashes: string[] = [];
    for (let number = 1; number <= head; number++) {
      const block = await this.call<SequencedBlock>('eth_getBlockByNumber', `0x${number.toString(16)}`, true);
      for (const { hash, value: own } of block.transactions) if (Number(own) === value) hashes.push(hash);
    }
    return hashes;
  }
}

interface SequencedBlock {
  readonly transactions: readonly { readonly hash: string; readonly value: string }[];
}
