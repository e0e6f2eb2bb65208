import { join } from 'node:path';
import { Graph, SeenSeq } from '#graph/engine';
import type { StorageLog } from '#graph/storage';
import type { Disk } from '#platform/disk';
import { assert, type Clock, Resources, systemClock } from '#platform/foundation';
import { type DatabaseFacts, factsOf, type HeldCommits, holdCommits } from '../database.ts';
import { readSharedLog } from '../shared-log-reader.ts';
import { SharedStore } from '../shared-store.ts';
import type { StoreAddress } from '../store-address.ts';
import { CheckSchema } from './check-schema.ts';
import { repeatedReplies } from './repeated-replies.ts';

/** A node had batches that the database lost or replaced. */
const DROPPED = 'store.copy_dropped';
/** Small enough for the check to exceed it. */
const BASE_BYTES_MIN = 1024 * 1024;
const REACH_MS = 10_000;

/** One of several equal nodes in this process, with its own connections and copy. */
export interface CheckNode {
  readonly graph: Graph;
  readonly store: SharedStore;
}

export interface CheckNodesOptions {
  readonly address: StoreAddress;
  readonly disk: Disk;
  /** Directory for the copies of the nodes; created, and removed at the end. */
  readonly directory: string;
  readonly nodes: number;
}

/** A manual clock, so that two graphs record the same times. */
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

/** Nodes over a temporary schema, which is dropped with them. */
export class CheckNodes {
  readonly schema: string;
  readonly clock = new HandClock();
  readonly facts: DatabaseFacts;
  readonly #options: CheckNodesOptions;
  readonly #resources = new Resources();
  readonly #nodes: CheckNode[] = [];
  #opened = 0;
  #dropped = 0;

  /** Throws STORE_UNAVAILABLE, also for a missing right. */
  static async open(options: CheckNodesOptions): Promise<CheckNodes> {
    const { address, disk, directory } = options;
    const facts = await factsOf(address);
    const schema = await CheckSchema.make(address);
    const nodes = new CheckNodes(options, facts, schema.name);
    nodes.#resources.add(() => schema.drop());
    return nodes.#resources.closingOnFailure(async () => {
      nodes.#resources.add(() => disk.removeDirectory(directory));
      for (let at = 0; at < options.nodes; at++) nodes.#nodes.push(await nodes.late());
      return nodes;
    });
  }

  private constructor(options: CheckNodesOptions, facts: DatabaseFacts, schema: string) {
    this.schema = schema;
    this.#options = options;
    this.facts = facts;
  }

  /** How often a node had to drop its copy because published batches were lost. */
  get dropped(): number {
    return this.#dropped;
  }

  get all(): readonly CheckNode[] {
    return this.#nodes;
  }

  /** Returns a node; successive numbers take turns. */
  node(at: number): CheckNode {
    const node = this.#nodes[at % this.#nodes.length];
    assert(node !== undefined, 'expected a node');
    return node;
  }

  /** Adds a node, which reads the existing batches. */
  late(): Promise<CheckNode> {
    const { address, disk, directory } = this.#options;
    const name = `check-${String(++this.#opened)}`;
    const log = this.#log();
    const { schema, clock } = this;
    const copy = { disk, directory: join(directory, name), log, clock };
    return this.#resources.open(
      async () => {
        const store = await SharedStore.open({
          address,
          schema,
          node: name,
          log,
          copy,
          baseBytesMin: BASE_BYTES_MIN,
        });
        return { store, graph: await Graph.over(store, { clock, log, memory: { sealIdleMs: 0 } }) };
      },
      ({ graph }) => graph.close(),
    );
  }

  /** A graph in a local directory, independent of the nodes. */
  alone(): Promise<Graph> {
    const { disk, directory } = this.#options;
    const { clock } = this;
    return this.#resources.open(
      () => Graph.open({ disk, directory: join(directory, 'alone'), clock, memory: { sealIdleMs: 0 } }),
      (graph) => graph.close(),
    );
  }

  /** Lets COMMITs of batches wait until the result is released. */
  holdCommits(): Promise<HeldCommits> {
    return holdCommits(this.#options.address, this.schema);
  }

  /** Requests that took effect twice, by the log. */
  repeatedReplies(): ReturnType<typeof repeatedReplies> {
    return repeatedReplies(this.#options.address, this.schema);
  }

  /** Sequence number of the first batch that no base has replaced. */
  async firstOfLog(): Promise<number | undefined> {
    const { address } = this.#options;
    for await (const entry of readSharedLog(address, this.schema))
      return entry.kind === 'corrupt' ? undefined : entry.seq;
    return undefined;
  }

  /** Resolves when every node shows all writes. Throws NOT_CAUGHT_UP, or for what none can show any more. */
  async caughtUp(): Promise<void> {
    const last = Math.max(...this.#nodes.map(({ graph }) => graph.durableVersion));
    try {
      for (const { graph } of this.#nodes) await graph.reached(last, REACH_MS);
    } catch (error) {
      const end = await this.#endOfLog();
      if (end === undefined || end >= last) throw error;
      throw new Error(
        `batches were lost that had been published: the log ends at ${String(end)}, a node shows ${String(last)}`,
        { cause: error },
      );
    }
  }

  /** Undefined if the log is damaged. */
  async #endOfLog(): Promise<number | undefined> {
    let end = 0;
    for await (const entry of readSharedLog(this.#options.address, this.schema)) {
      if (entry.kind === 'corrupt') return undefined;
      end = entry.seq;
    }
    return end;
  }

  /** The logs of the nodes are dropped, except for this event. */
  #log(): StorageLog {
    const listen = ({ event }: Readonly<Record<string, unknown>>): void => {
      if (event === DROPPED) this.#dropped++;
    };
    return { info: listen, warn: listen, error: listen };
  }

  /** Closes in reverse order, then drops the schema and the directory. */
  close(): Promise<void> {
    return this.#resources.close();
  }
}

/** The result of a request, and the sequence number of its write. */
export async function numbered<T>(
  request: () => Promise<T>,
): Promise<{ readonly seq: number; readonly reply: T }> {
  const seen = new SeenSeq();
  const reply = await seen.within(request);
  assert(seen.point !== undefined, 'expected a number');
  return { seq: seen.point.seq, reply };
}
