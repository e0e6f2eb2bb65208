import type { Procedure } from '../../src/graph/procedure.port.ts';
import type { StatementResult } from '../../src/service/transaction.port.ts';
import { keyOf } from '../../src/value/equality.ts';
import { isMap, type Value } from '../../src/value/value.ts';
import { MemoryStore } from '../memory-store.ts';

const NEVER = { aborted: false };

/** The parts of a graph that the kit counts as side effects, as texts. */
export interface GraphState {
  readonly nodes: ReadonlySet<string>;
  readonly relationships: ReadonlySet<string>;
  readonly labels: ReadonlySet<string>;
  readonly properties: ReadonlySet<string>;
}

/** The graph of the scenarios of one file. */
export class TckGraph {
  /** Those that a scenario declares. */
  readonly #procedures: Procedure[];
  readonly #store: MemoryStore;

  static async open(): Promise<TckGraph> {
    const procedures: Procedure[] = [];
    const store = await MemoryStore.open({
      find: (name) => procedures.find((each) => each.name === name),
      list: () => procedures,
    });
    return new TckGraph(store, procedures);
  }

  private constructor(store: MemoryStore, procedures: Procedure[]) {
    this.#procedures = procedures;
    this.#store = store;
  }

  get isEmpty(): boolean {
    return this.#store.graph.stats().total_entities === 0;
  }

  run(text: string, parameters: ReadonlyMap<string, Value> = new Map()): Promise<StatementResult> {
    return this.#store.transactions.run({ text, parameters }, { access: 'write' }, NEVER);
  }

  /** The procedures of a service never change: with one more, there is a new one. */
  declare(procedure: Procedure): void {
    this.#procedures.push(procedure);
    this.#store.renewTransactions();
  }

  async clear(): Promise<void> {
    if (this.#procedures.length > 0) this.#store.renewTransactions();
    this.#procedures.length = 0;
    if (!this.isEmpty) await this.run('MATCH (n) DETACH DELETE n');
  }

  async state(): Promise<GraphState> {
    const nodes = await this.run('MATCH (n) RETURN elementId(n), properties(n), labels(n)');
    const links = await this.run('MATCH ()-[r]->() RETURN elementId(r), properties(r)');
    const [nodeRows, linkRows] = [await nodes.take(Infinity), await links.take(Infinity)];
    return {
      nodes: new Set(nodeRows.map(([id = null]) => keyOf(id))),
      relationships: new Set(linkRows.map(([id = null]) => keyOf(id))),
      labels: new Set(
        nodeRows.flatMap(([, , labels = null]) => (Array.isArray(labels) ? labels.map(keyOf) : [])),
      ),
      properties: new Set([...nodeRows, ...linkRows].flatMap(propertyTexts)),
    };
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

function propertyTexts([id = null, properties = null]: readonly Value[]): readonly string[] {
  if (!isMap(properties)) return [];
  return [...properties].map(([key, value]) => keyOf([id, key, value]));
}
