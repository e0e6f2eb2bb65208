/** A store on a disk in memory, whose statements go the way of every other one. */
import { Graph } from '#graph/engine';
import { createScheduler } from '#graph/execution';
import { InlineJobRunner } from '#graph/storage';
import { sealHere } from '#graph/testing';
import { type Clock, systemClock } from '#platform/foundation';
import { CrashDisk } from '#testing';
import type { Procedures } from '../src/graph/procedure.port.ts';
import { TransactionService } from '../src/index.ts';

const SETTINGS = { queryTimeout: 600_000, queriesMax: 4, queryQueue: 200, queryMemory: 64 * 1_048_576 };

interface StatementParts {
  readonly procedures: Procedures | undefined;
  readonly queryMemory: number;
}

export class MemoryStore {
  graph: Graph;
  transactions: TransactionService;
  readonly #disk: CrashDisk;
  readonly #parts: StatementParts;

  /** `queryMemory`: of each statement, in bytes. */
  static async open(procedures?: Procedures, queryMemory = SETTINGS.queryMemory): Promise<MemoryStore> {
    const disk = new CrashDisk(1);
    return new MemoryStore(disk, await openGraph(disk), { procedures, queryMemory });
  }

  private constructor(disk: CrashDisk, graph: Graph, parts: StatementParts) {
    this.#disk = disk;
    this.#parts = parts;
    this.graph = graph;
    this.transactions = transactionsOver(graph, parts);
  }

  /** As after a restart of the process: what was written before is in sealed columns. */
  async reopen(): Promise<void> {
    await this.graph.close();
    this.graph = await openGraph(this.#disk);
    this.renewTransactions();
  }

  renewTransactions(): void {
    this.transactions = transactionsOver(this.graph, this.#parts);
  }

  /** The first value of the first row. */
  async value(text: string): Promise<unknown> {
    const result = await this.transactions.run(
      { text, parameters: new Map() },
      { access: 'write' },
      { aborted: false },
    );
    return (await result.take(1))[0]?.[0];
  }

  close(): Promise<void> {
    return this.graph.close();
  }
}

function openGraph(disk: CrashDisk): Promise<Graph> {
  const storage = { jobs: new InlineJobRunner(disk) };
  const memory = { sealIdleMs: 0, runSeal: sealHere };
  return Graph.open({ directory: '/data', disk, memory, storage, imageRecordsMin: 1 });
}

export function transactionsOver(
  graph: Graph,
  { procedures, queryMemory }: StatementParts,
  clock: Clock = systemClock,
): TransactionService {
  const settings = { ...SETTINGS, queryMemory };
  const scheduler = createScheduler(settings, clock);
  return new TransactionService({ graph, scheduler, settings, clock, procedures });
}
