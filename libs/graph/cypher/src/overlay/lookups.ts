/**
 * Finds stored nodes by label and value. What was written lately has no index in the store, so that each look
 * reads all of it: where a transaction looks often for values of one property, as UNWIND with MERGE does, it
 * makes an index of its own, of its snapshot.
 */
import type { Steps } from '#platform/foundation';
import type { NodeSelection, StoredGraph } from '../graph/property-graph.port.ts';
import { keyOf } from '../value/equality.ts';

/** Nodes that an index is made of, for each time that was looked. */
const NODES_PER_LOOK = 16_384;
const NODES_MAX = 1_000_000;
const NODES_PER_STEP = 256;

type ValueIndex = ReadonlyMap<string, readonly number[]>;

interface Lookup {
  looks: number;
  index: ValueIndex | undefined;
}

export class Lookups {
  readonly #stored: StoredGraph;
  readonly #lookups = new Map<string, Lookup>();
  readonly #estimates = new Map<string, number>();
  #heldValues = 0;

  constructor(stored: StoredGraph) {
    this.#stored = stored;
  }

  /** Approximate number of values that the indexes keep. */
  get heldValues(): number {
    return this.#heldValues;
  }

  /** At least the nodes of the selection, each once. */
  *scan(selection: NodeSelection): Steps<Iterable<number>> {
    const [equality] = selection.equals;
    if (equality === undefined) return yield* this.#stored.scan(selection);
    const [key, value] = equality;
    const { labels } = selection;
    const lookup = this.#lookupOf(labels, key);
    if (lookup.index === undefined && this.#isWorthwhile(lookup, labels)) {
      lookup.index = yield* this.#indexed(labels, key);
    }
    return lookup.index === undefined
      ? yield* this.#stored.scan(selection)
      : (lookup.index.get(keyOf(value)) ?? []);
  }

  #lookupOf(labels: readonly string[], key: string): Lookup {
    const name = JSON.stringify([key, ...labels]);
    const lookup = this.#lookups.get(name) ?? { looks: 0, index: undefined };
    this.#lookups.set(name, lookup);
    return lookup;
  }

  /** The store's, which looks at everything that was written lately, asked once. */
  estimate(labels: readonly string[]): number {
    const name = labels.length === 1 ? (labels[0] ?? '') : JSON.stringify(labels);
    const known = this.#estimates.get(name);
    if (known !== undefined) return known;
    const estimate = this.#stored.estimate({ labels, equals: [] });
    this.#estimates.set(name, estimate);
    return estimate;
  }

  #isWorthwhile(lookup: Lookup, labels: readonly string[]): boolean {
    const nodes = this.estimate(labels);
    return ++lookup.looks * NODES_PER_LOOK >= nodes && lookup.looks > 1 && nodes <= NODES_MAX;
  }

  *#indexed(labels: readonly string[], key: string): Steps<ValueIndex> {
    const index = new Map<string, number[]>();
    let count = 0;
    for (const node of yield* this.#stored.scan({ labels, equals: [] })) {
      if (++count % NODES_PER_STEP === 0) yield;
      const value = this.#stored.nodeProperty(node, key);
      if (value === null) continue;
      const text = keyOf(value);
      const known = index.get(text);
      if (known === undefined) index.set(text, [node]);
      else known.push(node);
      this.#heldValues += 2;
    }
    return index;
  }
}
