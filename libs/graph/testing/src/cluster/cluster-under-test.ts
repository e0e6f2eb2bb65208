import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Resources } from '#platform/foundation';
import type { LoadedNode } from './cluster-load.ts';
import { CuttingRelay } from './cutting-relay.ts';
import { PostgresProcess } from './postgres-process.ts';
import { PostgresTrio, type TrioOptions } from './postgres-trio.ts';

const NAMES = ['a', 'b', 'c'];

/** A running built program. */
export interface NodeProcess {
  readonly url: string;
  readonly child: ChildProcess;
  readonly log: readonly string[];
  /** Sends the signal and returns the exit code; null if the signal ended the process. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a program that listens on a free port. */
export type StartNode = (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
) => Promise<NodeProcess>;

/** One of the nodes; each start uses another port. */
export class NodeUnderTest implements LoadedNode {
  readonly name: string;
  readonly #begin: () => Promise<NodeProcess>;
  readonly #begun: NodeProcess[] = [];

  constructor(name: string, begin: () => Promise<NodeProcess>) {
    this.name = name;
    this.#begin = begin;
  }

  get url(): string {
    return this.#latest?.url ?? '';
  }

  get pid(): number | undefined {
    return this.#latest?.child.pid;
  }

  /** Logs of all its processes. */
  get log(): readonly string[] {
    return this.#begun.flatMap(({ log }) => log);
  }

  /** Whether it is running. */
  get isRunning(): boolean {
    const child = this.#latest?.child;
    return child?.exitCode === null && child.signalCode === null;
  }

  async start(): Promise<void> {
    this.#begun.push(await this.#begin());
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#latest?.child.kill(name);
  }

  /** Its exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    return (await this.#latest?.end(signal)) ?? null;
  }

  get #latest(): NodeProcess | undefined {
    return this.#begun.at(-1);
  }
}

interface ClusterParts {
  readonly trio: PostgresTrio;
  readonly nodes: readonly NodeUnderTest[];
  readonly relays: ReadonlyMap<PostgresProcess, CuttingRelay>;
  readonly store: string;
}

/** Three databases, each behind a cutting relay, and three built programs over them. */
export class ClusterUnderTest {
  readonly trio: PostgresTrio;
  readonly nodes: readonly NodeUnderTest[];
  /** Address of the store, without the password. */
  readonly store: string;
  readonly #relays: ReadonlyMap<PostgresProcess, CuttingRelay>;
  readonly #opened: Resources;

  static async start(startNode: StartNode, options: TrioOptions = {}): Promise<ClusterUnderTest> {
    const opened = new Resources();
    return opened.closingOnFailure(async () => {
      const directory = await opened.open(
        () => mkdtemp(join(tmpdir(), 'plexus-cluster-')),
        (path) => rm(path, { recursive: true, force: true }),
      );
      const trio = await opened.open(
        () => PostgresTrio.start(options),
        (databases) => databases.stop(),
      );
      const relays = new Map<PostgresProcess, CuttingRelay>();
      for (const database of trio.all) {
        const relay = await opened.open(
          () => CuttingRelay.start(database.socketPath),
          (open) => open.stop(),
        );
        relays.set(database, relay);
      }
      const hosts = [...relays.values()].map(({ port }) => `127.0.0.1:${port}`).join(',');
      const store = `postgres://${PostgresProcess.user}@${hosts}/postgres`;
      const password = { PLEXUS_STORE_PASSWORD: PostgresProcess.password };
      const nodes = NAMES.map((name) => {
        const args = ['--store', store, '--cache-dir', join(directory, name)];
        return new NodeUnderTest(name, () => startNode(args, password));
      });
      opened.add(() => Promise.all(nodes.map((node) => node.end('SIGKILL'))));
      const starts = await Promise.allSettled(nodes.map((node) => node.start()));
      for (const start of starts) if (start.status === 'rejected') throw start.reason;
      return new ClusterUnderTest({ trio, nodes, relays, store }, opened);
    });
  }

  private constructor(parts: ClusterParts, opened: Resources) {
    this.trio = parts.trio;
    this.nodes = parts.nodes;
    this.store = parts.store;
    this.#relays = parts.relays;
    this.#opened = opened;
  }

  /** The relay in front of the primary. */
  get relay(): CuttingRelay {
    return this.relayOf(this.trio.primary);
  }

  relayOf(database: PostgresProcess): CuttingRelay {
    const relay = this.#relays.get(database);
    if (relay === undefined) throw new Error('expected a relay before each database');
    return relay;
  }

  async stop(): Promise<void> {
    await this.#opened.close();
  }
}
