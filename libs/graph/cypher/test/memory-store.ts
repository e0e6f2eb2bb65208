/** A store on a disk in memory, whose statements go the way of every other one. */
import { Graph } from '#graph/engine';
import { createScheduler } from '#graph/execution';
import { InlineJobRunner } from '#graph/storage';
import { sealHere } from '#graph/testing';
import { systemClock } from '#platform/foundation';
import { CrashDisk } from '#testing';
import type { Procedures } from '../src/graph/procedure.port.ts';
import { TransactionService } from '../src/index.ts';

const SETTINGS = { queryTimeout: 60_000, queriesMax: 4, queryQueue: 200, queryMemory: 64 * 1_048_576 };

export class MemoryStore {
  readonly graph: Graph;
  readonly transactions: TransactionService;

  static async open(procedures?: Procedures): Promise<MemoryStore> {
    const disk = new CrashDisk(1);
    const storage = { jobs: new InlineJobRunner(disk) };
    const memory = { sealIdleMs: 0, runSeal: sealHere };
    return new MemoryStore(await Graph.open({ directory: '/data', disk, memory, storage }), procedures);
  }

  private constructor(graph: Graph, procedures: Procedures | undefined) {
    const [settings, clock] = [SETTINGS, systemClock];
    this.graph = graph;
    const scheduler = createScheduler(settings, clock);
    this.transactions = new TransactionService({ graph, scheduler, settings, clock, procedures });
  }

  close(): Promise<void> {
    return this.graph.close();
  }
}
