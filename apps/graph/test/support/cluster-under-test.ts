import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CuttingRelay, PostgresProcess, PostgresTrio } from '#graph/testing';
import { type RunningServer, startServer } from './built-program.ts';
import type { LoadedNode } from './cluster-load.ts';

const NODES = 3;

/** One of the nodes; each time it is started it has another port. */
export class NodeUnderTest implements LoadedNode {
  readonly #args: readonly string[];
  #server: RunningServer | undefined;
  #url = '';

  constructor(args: readonly string[]) {
    this.#args = args;
  }

  get url(): string {
    return this.#url;
  }

  get log(): readonly string[] {
    return this.#server?.log ?? [];
  }

  /** Nobody has ended it. */
  get isRunning(): boolean {
    const child = this.#server?.child;
    return child?.exitCode === null && child.signalCode === null;
  }

  async start(): Promise<void> {
    this.#server = await startServer(this.#args, { PLEXUS_STORE_PASSWORD: PostgresProcess.password });
    this.#url = this.#server.url;
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#server?.child.kill(name);
  }

  /** Its exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    return (await this.#server?.end(signal)) ?? null;
  }
}

/** Three databases, each behind a relay that cuts, and three built programs over them. */
export class ClusterUnderTest {
  readonly trio: PostgresTrio;
  readonly nodes: readonly NodeUnderTest[];
  readonly #relays: ReadonlyMap<PostgresProcess, CuttingRelay>;
  readonly #directory: string;

  static async start(): Promise<ClusterUnderTest> {
    const directory = await mkdtemp(join(tmpdir(), 'plexus-cluster-kill-'));
    const trio = await PostgresTrio.start();
    const relays = new Map<PostgresProcess, CuttingRelay>();
    for (const database of trio.all) relays.set(database, await CuttingRelay.start(database.socketPath));
    const hosts = [...relays.values()].map(({ port }) => `127.0.0.1:${port}`).join(',');
    const store = `postgres://${PostgresProcess.user}@${hosts}/postgres`;
    const nodes = Array.from(
      { length: NODES },
      (_, at) => new NodeUnderTest(['--store', store, '--cache-dir', join(directory, String(at))]),
    );
    const cluster = new ClusterUnderTest(trio, nodes, { relays, directory });
    await Promise.all(nodes.map((node) => node.start()));
    return cluster;
  }

  private constructor(
    trio: PostgresTrio,
    nodes: readonly NodeUnderTest[],
    rest: { readonly relays: ReadonlyMap<PostgresProcess, CuttingRelay>; readonly directory: string },
  ) {
    this.trio = trio;
    this.nodes = nodes;
    this.#relays = rest.relays;
    this.#directory = rest.directory;
  }

  /** What stands before the primary. */
  get relay(): CuttingRelay {
    const relay = this.#relays.get(this.trio.primary);
    if (relay === undefined) throw new Error('expected a relay before each database');
    return relay;
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.end('SIGKILL')));
    await Promise.all([...this.#relays.values()].map((relay) => relay.stop()));
    await this.trio.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }
}
