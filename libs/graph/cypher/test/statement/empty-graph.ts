/** A store without anything: over it, a transaction's graph is a graph in memory. */
import type { StoredGraph } from '../../src/graph/property-graph.port.ts';
import { TransactionGraph } from '../../src/overlay/transaction-graph.ts';

export function emptyGraph(): TransactionGraph {
  return new TransactionGraph(NOTHING_STORED);
}

function unknown(number: number): never {
  throw new Error(`expected a number of the transaction, got ${String(number)}`);
}

const NOTHING_STORED: StoredGraph = {
  snapshot: undefined,
  estimate: () => 0,
  *scan() {
    yield;
    return [];
  },
  expand: () => ({ links: [], nodes: [] }),
  degree: () => 0,
  hasNode: () => false,
  hasLink: () => false,
  labels: unknown,
  hasLabel: unknown,
  nodeProperty: unknown,
  nodeProperties: unknown,
  nodeElementId: unknown,
  nodeIdentity: unknown,
  type: unknown,
  start: unknown,
  end: unknown,
  linkProperty: unknown,
  linkProperties: unknown,
  linkElementId: unknown,
  linkIdentity: unknown,
};
