/** What MERGE relies on not being there: looked for among what others have written meanwhile. */
import { keyOf } from '../value/equality.ts';
import type { CypherMap } from '../value/value.ts';

export interface NodeClaim {
  readonly labels: readonly string[];
  readonly properties: CypherMap;
}

export interface LinkClaim {
  readonly type: string;
  /** Element id of the start; `to` is that of the end. */
  readonly from: string;
  readonly to: string;
  readonly properties: CypherMap;
}

/** Claims of the same labels and keys, by their values. */
interface Shape {
  readonly labels: readonly string[];
  readonly keys: readonly string[];
  readonly values: Set<string>;
}

export class Claims {
  readonly #shapes = new Map<string, Shape>();

  /** A relationship is claimed as a node with the label {@link linkLabel}. */
  add({ labels, properties }: NodeClaim): void {
    const keys = [...properties.keys()].sort();
    const name = JSON.stringify([labels, keys]);
    const shape = this.#shapes.get(name) ?? { labels, keys, values: new Set() };
    this.#shapes.set(name, shape);
    shape.values.add(textOf(keys, properties));
  }

  /** Whether an element is what one of the claims says is not there. */
  collides(labels: ReadonlySet<string>, properties: () => CypherMap): boolean {
    for (const shape of this.#shapes.values()) {
      if (!shape.labels.every((label) => labels.has(label))) continue;
      const text = textOf(shape.keys, properties());
      if (shape.values.has(text)) return true;
    }
    return false;
  }
}

function textOf(keys: readonly string[], properties: CypherMap): string {
  return keyOf(keys.map((key) => properties.get(key) ?? null));
}

/** Equal for relationships of one type between the same two nodes. */
export function linkLabel({ type, from, to }: Omit<LinkClaim, 'properties'>): string {
  return `${from} ${to} ${type}`;
}
