import { type BatchWriter, InlineJobRunner, Storage } from '#graph/storage';
import { sealHere } from '#graph/testing';
import type { Clock } from '#platform/foundation';
import { CrashDisk } from '#testing';
import { Graph, type GraphLog, type GraphOptions, type GraphRecords, recordsOf } from '../src/index.ts';

const DIRECTORY = '/data';
const FIRST_MS = Date.UTC(2026, 0, 1);

/** A manual clock. */
export class StandingClock implements Clock {
  #ms = FIRST_MS;

  nowMs(): number {
    return this.#ms;
  }

  monotonicMs(): number {
    return this.#ms;
  }

  turn(ms: number): void {
    this.#ms += ms;
  }
}

/** A graph on an in-memory disk, with close, reopen and power cuts. */
export class GraphHarness {
  readonly clock: StandingClock;
  readonly #logged: object[] = [];
  disk: CrashDisk;
  /** The options of every open. */
  options: Partial<GraphOptions> = {};
  #graph: Graph | undefined;

  constructor(disk = new CrashDisk(1), clock = new StandingClock()) {
    this.disk = disk;
    this.clock = clock;
  }

  static async opened(seed = 1, options: Partial<GraphOptions> = {}): Promise<GraphHarness> {
    const harness = new GraphHarness(new CrashDisk(seed));
    harness.options = options;
    await harness.open();
    return harness;
  }

  get graph(): Graph {
    if (this.#graph === undefined) throw new Error('the graph is not open');
    return this.#graph;
  }

  async open(options: Partial<GraphOptions> = {}): Promise<Graph> {
    const { disk, clock } = this;
    const jobs = new InlineJobRunner(disk);
    const memory = { sealIdleMs: 0, runSeal: sealHere };
    const usual = { directory: DIRECTORY, disk, clock, log: this.#log(), memory };
    const storage = { jobs, ...this.options.storage };
    this.#graph = await Graph.open({ ...usual, ...this.options, storage, ...options });
    return this.#graph;
  }

  async reopen(options: Partial<GraphOptions> = {}): Promise<Graph> {
    await this.close();
    return this.open(options);
  }

  /** Reopens the graph with further records in its store, as an earlier version may have written them. */
  async reopenWith(record: (batch: BatchWriter) => void): Promise<void> {
    await this.close();
    const { disk, clock } = this;
    const jobs = new InlineJobRunner(disk);
    const storage = await Storage.open({ directory: DIRECTORY, disk, clock, log: this.#log(), jobs });
    const batch = storage.batch();
    record(batch);
    await storage.append(batch).durable;
    await storage.close();
    await this.open();
  }

  async close(): Promise<void> {
    await this.#graph?.close();
    this.#graph = undefined;
  }

  /** All records of the graph, including deleted ones. */
  records(): GraphRecords {
    return recordsOf(this.graph);
  }

  /** The log entries of the last open. */
  opened(): object | undefined {
    return this.#logged.findLast((fields) => 'event' in fields && fields.event === 'graph.opened');
  }

  #log(): GraphLog {
    const keep = (fields: object): void => void this.#logged.push(fields);
    return { info: keep, warn: keep, error: keep };
  }
}
