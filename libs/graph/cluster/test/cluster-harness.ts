import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Graph } from '#graph/engine';
import { InlineJobRunner, type StorageLog } from '#graph/storage';
import { PostgresServer } from '#graph/testing';
import { type Disk, NodeDisk } from '#platform/disk';
import { type Clock, pause, Secret, systemClock } from '#platform/foundation';
import { Connection, type ConnectionOptions } from '../src/connection.ts';
import { parseStoreAddress, SharedStore, type StoreAddress } from '../src/index.ts';

/** One of several equal nodes, with its own directory. */
export interface ClusterNode {
  readonly name: string;
  readonly graph: Graph;
  readonly store: SharedStore;
}

interface NodeOptions {
  /** Directory of an earlier node, whose copy is reused. */
  readonly name?: string;
  readonly schema?: string;
  /** Address of a proxy in front of the database. */
  readonly port?: number;
  /** Of several databases; overrides the port. */
  readonly hosts?: string;
  readonly baseBytesMin?: number;
  readonly user?: string;
  readonly password?: string;
  readonly clock?: Clock;
  /** For the copy. */
  readonly disk?: Disk;
  readonly historyMs?: number;
}

/** Nodes over one real database. */
export class Cluster {
  readonly server: PostgresServer;
  readonly logged: object[] = [];
  readonly #directory: string;
  readonly #nodes = new Set<ClusterNode>();
  #count = 0;

  static async start(): Promise<Cluster> {
    return new Cluster(await PostgresServer.start(), await mkdtemp(join(tmpdir(), 'plexus-cluster-')));
  }

  private constructor(server: PostgresServer, directory: string) {
    this.server = server;
    this.#directory = directory;
  }

  get address(): StoreAddress {
    return parseStoreAddress(this.url, new Secret(this.server.password));
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${String(this.server.port)}/postgres`;
  }

  async open(options: NodeOptions = {}): Promise<ClusterNode> {
    const { name = `node-${String(this.#count++)}` } = options;
    const store = await this.openStore({ ...options, name });
    const { clock = systemClock, historyMs = 0 } = options;
    const graph = await Graph.over(store, { log: this.#log(), clock, memory: { sealIdleMs: 0 }, historyMs });
    const node = { name, graph, store };
    this.#nodes.add(node);
    return node;
  }

  /** A store without a graph; the caller closes it. */
  openStore(options: NodeOptions & { readonly name: string }): Promise<SharedStore> {
    const { name, schema = 'plexus', port = this.server.port } = options;
    const { hosts = `127.0.0.1:${String(port)}` } = options;
    const { user = 'postgres', password = this.server.password, clock = systemClock } = options;
    const { disk = new NodeDisk() } = options;
    const log = this.#log();
    return SharedStore.open({
      address: parseStoreAddress(`postgres://${user}@${hosts}/postgres`, new Secret(password)),
      schema,
      node: name,
      startPatienceMs: 0,
      ...(options.baseBytesMin !== undefined && { baseBytesMin: options.baseBytesMin }),
      log,
      copy: {
        disk,
        directory: this.directoryOf(schema, name),
        log,
        clock,
        jobs: new InlineJobRunner(disk),
      },
    });
  }

  /** Of the copy of a node. */
  directoryOf(schema: string, name: string): string {
    return join(this.#directory, schema, name);
  }

  #log(): StorageLog {
    const keep = (fields: Readonly<Record<string, unknown>>): void => void this.logged.push(fields);
    return { info: keep, warn: keep, error: keep };
  }

  /** An independent connection, through a proxy at another port if given. */
  connection(port = this.server.port, options: ConnectionOptions = {}): Promise<Connection> {
    const url = `postgres://postgres@127.0.0.1:${String(port)}/postgres`;
    return Connection.open(parseStoreAddress(url, new Secret(this.server.password)), 'test', options);
  }

  /** Runs SQL on an independent connection. */
  rows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.server.rows('postgres', sql);
  }

  async close(node: ClusterNode): Promise<void> {
    this.#nodes.delete(node);
    await node.graph.close();
  }

  /** Closes all nodes that are open. */
  async closeAll(): Promise<void> {
    for (const node of this.#nodes) await this.close(node);
  }

  /** Closes everything that is open, and the database. */
  async stop(): Promise<void> {
    await this.closeAll();
    await this.server.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/** Resolves when a node shows all writes up to a sequence number. */
export async function shown({ graph }: ClusterNode, seq: number): Promise<void> {
  while (graph.durableVersion < seq) await pause(5);
}

/** Resolves when a node knows that all writes up to a sequence number are published. */
export async function told({ graph }: ClusterNode, seq: number): Promise<void> {
  while ((graph.position()?.published ?? 0) < seq) await pause(5);
}
