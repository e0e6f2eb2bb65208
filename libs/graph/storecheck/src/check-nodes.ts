import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  type DatabaseFacts,
  dropSchema,
  factsOf,
  readSharedLog,
  SharedStore,
  type StoreAddress,
} from '#graph/cluster';
import { Graph, SeenSeq } from '#graph/engine';
import type { StorageLog } from '#graph/storage';
import type { Disk } from '#platform/disk';
import { assert, type Clock, Resources, systemClock } from '#platform/foundation';

/** A node had batches that the database does not have, or has others in their place. */
const DROPPED = 'store.copy_dropped';
/** Small enough that the check itself outgrows it. */
const BASE_BYTES_MIN = 1024 * 1024;
const REACH_MS = 10_000;

/** One of several equal nodes in this process: connections and a copy of its own, like any other. */
export interface CheckNode {
  readonly graph: Graph;
  readonly store: SharedStore;
}

export interface CheckNodesOptions {
  readonly address: StoreAddress;
  readonly disk: Disk;
  /** For the copies of nodes; made, and removed at the end. */
  readonly directory: string;
  readonly nodes: number;
}

/** A clock that is turned by hand, so that two graphs give the same times. */
class HandClock implements Clock {
  #ms = systemClock.nowMs();

  nowMs(): number {
    return this.#ms;
  }

  monotonicMs(): number {
    return systemClock.monotonicMs();
  }

  turn(): void {
    this.#ms++;
  }
}

/** Nodes over a schema of their own, which goes with them. */
export class CheckNodes {
  readonly schema = `plexus_check_${randomUUID().slice(0, 8)}`;
  readonly clock = new HandClock();
  readonly facts: DatabaseFacts;
  readonly #options: CheckNodesOptions;
  readonly #resources = new Resources();
  readonly #nodes: CheckNode[] = [];
  #opened = 0;
  #dropped = 0;

  /** Throws STORE_UNAVAILABLE, of a missing right too. */
  static async open(options: CheckNodesOptions): Promise<CheckNodes> {
    const { address, disk, directory } = options;
    const nodes = new CheckNodes(options, await factsOf(address));
    return nodes.#resources.closingOnFailure(async () => {
      nodes.#resources.add(() => disk.removeDirectory(directory));
      nodes.#resources.add(() => dropSchema(address, nodes.schema));
      for (let at = 0; at < options.nodes; at++) nodes.#nodes.push(await nodes.late());
      return nodes;
    });
  }

  private constructor(options: CheckNodesOptions, facts: DatabaseFacts) {
    this.#options = options;
    this.facts = facts;
  }

  /** So often a node had to drop what it held: batches were lost that were published. */
  get dropped(): number {
    return this.#dropped;
  }

  get all(): readonly CheckNode[] {
    return this.#nodes;
  }

  /** Taken in turn. */
  node(at: number): CheckNode {
    const node = this.#nodes[at % this.#nodes.length];
    assert(node !== undefined, 'expected a node');
    return node;
  }

  /** One more, which finds what the others have written. */
  late(): Promise<CheckNode> {
    const { address, disk, directory } = this.#options;
    const name = `check-${String(++this.#opened)}`;
    const log = this.#log();
    const { schema, clock } = this;
    const copy = { disk, directory: join(directory, name), log, clock };
    return this.#resources.open(
      async () => {
        const store = await SharedStore.open({
          ...{ address, schema, node: name, log, copy },
          baseBytesMin: BASE_BYTES_MIN,
        });
        return { store, graph: await Graph.over(store, { clock, log, memory: { sealIdleMs: 0 } }) };
      },
      ({ graph }) => graph.close(),
    );
  }

  /** A graph in a directory, which no other node sees. */
  alone(): Promise<Graph> {
    const { disk, directory } = this.#options;
    const { clock } = this;
    return this.#resources.open(
      () => Graph.open({ disk, directory: join(directory, 'alone'), clock, memory: { sealIdleMs: 0 } }),
      (graph) => graph.close(),
    );
  }

  /** Number of the first batch that no base has replaced. */
  async firstOfLog(): Promise<number | undefined> {
    const { address } = this.#options;
    for await (const entry of readSharedLog(address, this.schema))
      return entry.kind === 'corrupt' ? undefined : entry.seq;
    return undefined;
  }

  /** Resolves when every node shows what was written. Throws NOT_CAUGHT_UP. */
  async caughtUp(): Promise<void> {
    const last = Math.max(...this.#nodes.map(({ graph }) => graph.durableVersion));
    for (const { graph } of this.#nodes) await graph.reached(last, REACH_MS);
  }

  /** What nodes say is of no interest to who asked for a table, but for this. */
  #log(): StorageLog {
    const listen = ({ event }: Readonly<Record<string, unknown>>): void => {
      if (event === DROPPED) this.#dropped++;
    };
    return { info: listen, warn: listen, error: listen };
  }

  /** Last opened first closed; then the schema goes, and the directory. */
  close(): Promise<void> {
    return this.#resources.close();
  }
}

/** What a request resolved with, and the number under which it was written. */
export async function numbered<T>(
  request: () => Promise<T>,
): Promise<{ readonly seq: number; readonly reply: T }> {
  const seen = new SeenSeq();
  const reply = await seen.within(request);
  assert(seen.seq !== undefined, 'expected a number');
  return { seq: seen.seq, reply };
}
