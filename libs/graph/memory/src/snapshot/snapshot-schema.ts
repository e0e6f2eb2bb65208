/**
 * The names, properties and kinds of values in a snapshot: counts of the base, corrected by the delta and,
 * with deleted records, by those beyond the retention. Exact, and so independent of the time of the last
 * seal.
 */
import type { LinkRetention } from '../adjacency/retention.ts';
import { isNamed, type Named, namesOf } from '../column/labels-field.ts';
import type { View } from '../delta/view.ts';
import { type Counted, countedOf, type DeltaCounts } from '../schema/delta-counts.ts';
import { addTo, EntityCounts } from '../schema/entity-counts.ts';
import { nameGroups, segmentCounts, wholeCounts } from '../schema/segment-schema.ts';
import type { Selector } from './selector.ts';

export interface TypeCounts {
  readonly counts: EntityCounts;
  readonly classes: Map<string, number>;
  readonly labels: Map<string, number>;
}

export interface SchemaSources {
  readonly view: View;
  readonly selector: Selector;
  readonly changes: DeltaCounts;
  readonly retention: LinkRetention | undefined;
}

type Names = readonly string[] | '*';

export class SnapshotSchema {
  readonly #sources: SchemaSources;
  #expired: readonly Counted[] | undefined;

  constructor(sources: SchemaSources) {
    this.#sources = sources;
  }

  /** The counts of the entities with one of the names. */
  counts(names: Names): EntityCounts {
    const { selector } = this.#sources;
    const parts = selector.segmentsNamed(names).flatMap((segment) => segmentCounts(segment, names));
    for (const change of this.#changes()) if (isNamed(names, change)) parts.push(change.counts);
    const expired = this.#expiredEntities().filter((item) => isNamed(names, item));
    const [only] = parts;
    if (only !== undefined && parts.length === 1 && expired.length === 0) return only;
    const sum = new EntityCounts();
    for (const part of parts) sum.addAll(part);
    for (const item of expired) sum.addEntity(item, -1);
    return sum;
  }

  /** The types, classes and labels that entities have. */
  names(): readonly string[] {
    const sizes = new Map<string, number>();
    for (const segment of this.#sources.selector.segments)
      for (const group of nameGroups(segment))
        for (const name of namesOf(group)) addTo(sizes, name, group.size);
    for (const change of this.#changes())
      for (const name of namesOf(change)) addTo(sizes, name, change.counts.size);
    for (const item of this.#expiredEntities()) for (const name of namesOf(item)) addTo(sizes, name, -1);
    return [...sizes].flatMap(([name, size]) => (size > 0 ? [name] : []));
  }

  /** Counts by type; some may be empty. */
  types(): ReadonlyMap<string, TypeCounts> {
    const types = new Map<string, TypeCounts>();
    for (const segment of this.#sources.selector.segments) {
      const into = typeIn(types, segment.type);
      into.counts.addAll(wholeCounts(segment));
      for (const group of nameGroups(segment)) addNames(into, group, group.size);
    }
    for (const change of this.#changes()) {
      const into = typeIn(types, change.type);
      into.counts.addAll(change.counts);
      addNames(into, change, change.counts.size);
    }
    return types;
  }

  #changes(): ReturnType<DeltaCounts['at']> {
    const { changes, view } = this.#sources;
    return changes.at(Math.min(view.nodeLimit, view.delta.nodes.count));
  }

  #expiredEntities(): readonly Counted[] {
    return (this.#expired ??= this.#findExpired());
  }

  #findExpired(): readonly Counted[] {
    const { retention, view } = this.#sources;
    if (retention === undefined) return [];
    return retention.expiredNodes().map((node) => countedOf(view.delta, node, view.nodeVersion(node)));
  }
}

function addNames(into: TypeCounts, { class: className, labels = [] }: Named, size: number): void {
  addTo(into.classes, className, size);
  for (const label of labels) addTo(into.labels, label, size);
}

function typeIn(types: Map<string, TypeCounts>, type: string): TypeCounts {
  let found = types.get(type);
  if (found === undefined) {
    found = { counts: new EntityCounts(), classes: new Map(), labels: new Map() };
    types.set(type, found);
  }
  return found;
}
