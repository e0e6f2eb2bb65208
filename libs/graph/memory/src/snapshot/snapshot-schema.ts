/**
 * The names, properties and kinds of values in a snapshot: counts of the base, corrected by the delta and,
 * with deleted records, by those beyond the retention. Exact, and so independent of the time of the last
 * seal.
 */
import type { LinkRetention } from '../adjacency/retention.ts';
import type { Segment } from '../base/segment.ts';
import type { View } from '../delta/view.ts';
import { type Counted, countedOf, type DeltaCounts } from '../schema/delta-counts.ts';
import { addTo, EntityCounts } from '../schema/entity-counts.ts';
import { classSizes, segmentCounts, wholeCounts } from '../schema/segment-schema.ts';
import type { Selector } from './selector.ts';

export interface TypeCounts {
  readonly counts: EntityCounts;
  readonly classes: Map<string, number>;
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
    for (const { type, class: className, counts } of this.#changes())
      if (isNamed(names, type, className)) parts.push(counts);
    const expired = this.#expiredEntities().filter((item) => isNamed(names, item.type, item.class));
    const [only] = parts;
    if (only !== undefined && parts.length === 1 && expired.length === 0) return only;
    const sum = new EntityCounts();
    for (const part of parts) sum.addAll(part);
    for (const { properties } of expired) sum.addEntity(properties, -1);
    return sum;
  }

  /** The types and classes that entities have. */
  names(): readonly string[] {
    const sizes = new Map<string, number>();
    for (const segment of this.#sources.selector.segments) addSizes(sizes, segment);
    for (const { type, class: className, counts } of this.#changes())
      for (const name of new Set([type, className])) addTo(sizes, name, counts.size);
    for (const { type, class: className } of this.#expiredEntities())
      for (const name of new Set([type, className])) addTo(sizes, name, -1);
    return [...sizes].flatMap(([name, size]) => (size > 0 ? [name] : []));
  }

  /** Counts by type; some may be empty. */
  types(): ReadonlyMap<string, TypeCounts> {
    const types = new Map<string, TypeCounts>();
    for (const segment of this.#sources.selector.segments) {
      const { counts, classes } = typeIn(types, segment.type);
      counts.addAll(wholeCounts(segment));
      for (const [name, size] of classSizes(segment)) addTo(classes, name, size);
    }
    for (const { type, class: className, counts } of this.#changes()) {
      const into = typeIn(types, type);
      into.counts.addAll(counts);
      addTo(into.classes, className, counts.size);
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

function isNamed(names: Names, type: string, className: string): boolean {
  return names === '*' || names.includes(type) || names.includes(className);
}

/** A class that equals the type counts once. */
function addSizes(sizes: Map<string, number>, segment: Segment): void {
  addTo(sizes, segment.type, segment.size);
  for (const [name, size] of classSizes(segment)) if (name !== segment.type) addTo(sizes, name, size);
}

function typeIn(types: Map<string, TypeCounts>, type: string): TypeCounts {
  let found = types.get(type);
  if (found === undefined) types.set(type, (found = { counts: new EntityCounts(), classes: new Map() }));
  return found;
}
