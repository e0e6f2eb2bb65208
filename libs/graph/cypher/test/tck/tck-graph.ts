/** A graph on a disk in memory, whose statements go the way of every other one. */
import { Graph } from '#graph/engine';
import { createScheduler } from '#graph/execution';
import { InlineJobRunner } from '#graph/storage';
import { sealHere } from '#graph/testing';
import { systemClock } from '#platform/foundation';
import { CrashDisk } from '#testing';
import { TransactionService } from '../../src/service/transaction-service.ts';
import type { StatementResult } from '../../src/service/transaction.port.ts';
import { keyOf } from '../../src/value/equality.ts';
import { isMap, type Value } from '../../src/value/value.ts';

const SETTINGS = { queryTimeout: 60_000, queriesMax: 4, queryQueue: 4, queryMemory: 512 * 1_048_576 };
const NEVER = { aborted: false };

/** The parts of a graph that the kit counts as side effects, as texts. */
export interface GraphState {
  readonly nodes: ReadonlySet<string>;
  readonly relationships: ReadonlySet<string>;
  readonly labels: ReadonlySet<string>;
  readonly properties: ReadonlySet<string>;
}

export class TckGraph {
  readonly #graph: Graph;
  readonly #transactions: TransactionService;

  static async open(): Promise<TckGraph> {
    const disk = new CrashDisk(1);
    const storage = { jobs: new InlineJobRunner(disk) };
    const memory = { sealIdleMs: 0, runSeal: sealHere };
    return new TckGraph(await Graph.open({ directory: '/data', disk, memory, storage }));
  }

  private constructor(graph: Graph) {
    this.#graph = graph;
    const scheduler = createScheduler(SETTINGS, systemClock);
    this.#transactions = new TransactionService({ graph, scheduler, settings: SETTINGS, clock: systemClock });
  }

  get isEmpty(): boolean {
    return this.#graph.stats().total_entities === 0;
  }

  run(text: string, parameters: ReadonlyMap<string, Value> = new Map()): Promise<StatementResult> {
    return this.#transactions.run({ text, parameters }, { access: 'write' }, NEVER);
  }

  async clear(): Promise<void> {
    if (!this.isEmpty) await this.run('MATCH (n) DETACH DELETE n');
  }

  async state(): Promise<GraphState> {
    const nodes = await this.run('MATCH (n) RETURN elementId(n), properties(n), labels(n)');
    const links = await this.run('MATCH ()-[r]->() RETURN elementId(r), properties(r)');
    const [nodeRows, linkRows] = [nodes.take(Infinity), links.take(Infinity)];
    return {
      nodes: new Set(nodeRows.map(([id = null]) => keyOf(id))),
      relationships: new Set(linkRows.map(([id = null]) => keyOf(id))),
      labels: new Set(
        nodeRows.flatMap(([, , labels = null]) => (Array.isArray(labels) ? labels.map(keyOf) : [])),
      ),
      properties: new Set([...nodeRows, ...linkRows].flatMap(propertyTexts)),
    };
  }

  async close(): Promise<void> {
    await this.#graph.close();
  }
}

function propertyTexts([id = null, properties = null]: readonly Value[]): readonly string[] {
  if (!isMap(properties)) return [];
  return [...properties].map(([key, value]) => keyOf([id, key, value]));
}
