/** Finds changed nodes by label and by value of a property. */
import type { NodeSelection } from '../graph/property-graph.port.ts';
import { isRecordField } from '../graph/snapshot-graph.ts';
import { keyOf } from '../value/equality.ts';
import type { Value } from '../value/value.ts';
import type { NodeChange } from './element-change.ts';

type Nodes = Set<number>;

const NONE: ReadonlySet<number> = new Set();
/** Among so few candidates no index of a property is made. */
const FEW = 16;

export class NodeIndex {
  readonly #all: Nodes = new Set();
  readonly #byLabel = new Map<string, Nodes>();
  /** By key, then by the text of the value; of the keys that were looked for. */
  readonly #byValue = new Map<string, Map<string, Nodes>>();
  readonly #changes: ReadonlyMap<number, NodeChange>;

  constructor(changes: ReadonlyMap<number, NodeChange>) {
    this.#changes = changes;
  }

  add(node: number, { labels, properties }: NodeChange): void {
    this.#all.add(node);
    for (const label of labels) this.addLabel(node, label);
    for (const [key, values] of this.#byValue) addTo(values, textOf(properties.get(key)), node);
  }

  remove(node: number, { labels, properties }: NodeChange): void {
    this.#all.delete(node);
    for (const label of labels) this.removeLabel(node, label);
    for (const [key, values] of this.#byValue) values.get(textOf(properties.get(key)))?.delete(node);
  }

  addLabel(node: number, label: string): void {
    addTo(this.#byLabel, label, node);
  }

  removeLabel(node: number, label: string): void {
    this.#byLabel.get(label)?.delete(node);
  }

  setValue(node: number, key: string, { before, after }: { before: Value; after: Value }): void {
    const values = this.#byValue.get(key);
    if (values === undefined) return;
    values.get(textOf(before))?.delete(node);
    addTo(values, textOf(after), node);
  }

  /** At least the nodes of the selection; those with all of its labels. */
  find({ labels, equals }: NodeSelection): readonly number[] {
    let fewest: ReadonlySet<number> = this.#all;
    for (const label of labels) fewest = smaller(fewest, this.#byLabel.get(label));
    for (const [key, values] of equals) {
      if (fewest.size <= FEW) break;
      // The index has properties only.
      if (!isRecordField(key)) fewest = smaller(fewest, this.#withOneOf(key, values));
    }
    return [...fewest].filter((node) => labels.every((label) => this.#changes.get(node)?.labels.has(label)));
  }

  #withOneOf(key: string, values: readonly Value[]): ReadonlySet<number> | undefined {
    const known = this.#valuesOf(key);
    const [only = null] = values;
    if (values.length === 1) return known.get(textOf(only));
    return new Set(values.flatMap((value) => [...(known.get(textOf(value)) ?? [])]));
  }

  #valuesOf(key: string): ReadonlyMap<string, Nodes> {
    const known = this.#byValue.get(key);
    if (known !== undefined) return known;
    const values = new Map<string, Nodes>();
    for (const node of this.#all) addTo(values, textOf(this.#changes.get(node)?.properties.get(key)), node);
    this.#byValue.set(key, values);
    return values;
  }
}

function smaller(a: ReadonlySet<number>, b: ReadonlySet<number> = NONE): ReadonlySet<number> {
  return b.size < a.size ? b : a;
}

function addTo(sets: Map<string, Nodes>, name: string, node: number): void {
  const set = sets.get(name);
  if (set === undefined) sets.set(name, new Set([node]));
  else set.add(node);
}

function textOf(value: Value | undefined): string {
  return keyOf(value ?? null);
}
