/**
 * The names, properties and kinds of values of what exists in a scope. Types that exist whole have the counts
 * of the snapshot; of the others each entity is read, once for a snapshot.
 */
import { isOneOf, type Selection } from '#graph/model';
import { completed, type Steps } from '#platform/foundation';
import { addTo, EntityCounts } from '../schema/entity-counts.ts';
import type { GraphSnapshot } from '../snapshot/graph-snapshot.ts';
import type { TypeCounts } from '../snapshot/snapshot-schema.ts';

const NODES_PER_STEP = 16;

type Names = readonly string[] | '*';

export class ScopedSchema {
  readonly #snapshot: GraphSnapshot;
  readonly #narrowed: (selection: Selection) => Selection;
  readonly #types = new Map<string, TypeCounts>();
  readonly #counts = new Map<string, EntityCounts>();

  /** `narrowed` adds the scope to a selection. */
  constructor(snapshot: GraphSnapshot, narrowed: (selection: Selection) => Selection) {
    this.#snapshot = snapshot;
    this.#narrowed = narrowed;
  }

  /** The types, classes and labels that entities have. */
  names(): readonly string[] {
    const groups = this.#groups('*', ['_type', '_class', '_labels']);
    return Array.from(new Set(groups.flatMap(({ values }) => values.flat().filter(isText))));
  }

  /** The counts of the entities with one of the names. */
  counts(names: Names): EntityCounts {
    const key = JSON.stringify(names);
    let sum = this.#counts.get(key);
    if (sum === undefined) this.#counts.set(key, (sum = this.#sum(names)));
    return sum;
  }

  /** Counts by type. */
  *types(): Steps<ReadonlyMap<string, TypeCounts>> {
    for (const { values, count } of this.#groups('*', ['_type']))
      yield* this.#typeOf(String(values[0]), count);
    return this.#types;
  }

  #sum(names: Names): EntityCounts {
    const sum = new EntityCounts();
    const sizes = new Map(this.#groups('*', ['_type']).map(({ values: [type], count }) => [type, count]));
    for (const {
      values: [type],
      count,
    } of this.#groups(names, ['_type'])) {
      const isWhole = sizes.get(type) === count;
      const part = completed(
        isWhole ? this.#typeOf(String(type), count) : this.#read(ofType(String(type), names)),
      );
      sum.addAll(part.counts);
    }
    return sum;
  }

  #groups(names: Names, fields: readonly string[]) {
    return completed(this.#snapshot.groupCounts(this.#narrowed({ names }), fields));
  }

  /** The counts of a type of which `size` entities exist. */
  *#typeOf(type: string, size: number): Steps<TypeCounts> {
    const known = this.#types.get(type);
    if (known !== undefined) return known;
    const whole = this.#snapshot.includesDeleted ? undefined : this.#snapshot.typeCounts().get(type);
    const counts = whole?.counts.size === size ? whole : yield* this.#read(ofType(type, '*'));
    this.#types.set(type, counts);
    return counts;
  }

  *#read(selection: Selection): Steps<TypeCounts> {
    const into: TypeCounts = { counts: new EntityCounts(), classes: new Map(), labels: new Map() };
    for (const [at, node] of (yield* this.#snapshot.select(this.#narrowed(selection))).entries()) {
      const entity = this.#snapshot.entity(node);
      into.counts.addEntity(entity, 1);
      addTo(into.classes, entity.class, 1);
      for (const label of entity.labels ?? []) addTo(into.labels, label, 1);
      if (at % NODES_PER_STEP === NODES_PER_STEP - 1) yield;
    }
    return into;
  }
}

function ofType(type: string, names: Names): Selection {
  return { names, filter: isOneOf('_type', [type]) };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
