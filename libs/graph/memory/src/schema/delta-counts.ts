/**
 * What the versions of a delta change in the counts of its base, by type, class and labels, for one of its
 * prefixes. A count moves with the prefix, one version at a time, also backwards for a pinned snapshot: each
 * version replaces the previous one of its node.
 */
import { propertyOfField, type PropertyValue } from '#graph/model';
import type { Delta } from '../delta/delta.ts';
import { EntityCounts, type LabelledContent } from './entity-counts.ts';
import { LABELS_FIELD, labelsIn, type Named } from '../column/labels-field.ts';

/** The entities of one type, class and set of labels. */
export interface NamedCounts extends Named {
  /** Negative where the delta has fewer. */
  readonly counts: EntityCounts;
}

/** What is counted of an entity, and under which names. */
export type Counted = Named & LabelledContent;

export class DeltaCounts {
  readonly #delta: Delta;
  readonly #includesDeleted: boolean;
  readonly #groups = new Map<string, NamedCounts>();
  #limit = 0;

  constructor(delta: Delta, includesDeleted: boolean) {
    this.#delta = delta;
    this.#includesDeleted = includesDeleted;
  }

  /** Counts as of the first `limit` versions; valid until the next call. */
  at(limit: number): Iterable<NamedCounts> {
    while (this.#limit < limit) this.#replace(++this.#limit, 1);
    while (this.#limit > limit) this.#replace(this.#limit--, -1);
    return this.#groups.values();
  }

  #replace(version: number, by: 1 | -1): void {
    const { nodes } = this.#delta;
    const node = nodes.item.data[version] ?? 0;
    const before = nodes.previous(version);
    const was = this.#isCounted(node, before);
    const is = this.#isCounted(node, version);
    if (was && is && nodes.content.data[before] === nodes.content.data[version]) return;
    if (was) this.#add(countedOf(this.#delta, node, before), by === 1 ? -1 : 1);
    if (is) this.#add(countedOf(this.#delta, node, version), by);
  }

  /** Version 0 is the base's row, which a new node lacks. */
  #isCounted(node: number, version: number): boolean {
    const { base, nodes } = this.#delta;
    if (version === 0) return node < (this.#includesDeleted ? base.nodeCount : base.liveNodes);
    return this.#includesDeleted || nodes.isDeleted.data[version] === 0;
  }

  #add(counted: Counted, by: 1 | -1): void {
    const { type, class: className, labels } = counted;
    const key = [type, className, ...(labels ?? [])].join('\0');
    let group = this.#groups.get(key);
    if (group === undefined)
      this.#groups.set(key, (group = { type, class: className, labels, counts: new EntityCounts() }));
    group.counts.addEntity(counted, by);
  }
}

/** The entity of a version, deleted or not. */
export function countedOf(delta: Delta, node: number, version: number): Counted {
  const content = delta.nodes.content.data[version] ?? 0;
  return content === 0 ? rowOf(delta, node) : delta.input(content);
}

function rowOf({ base }: Delta, node: number): Counted {
  const segment = base.segmentOf(node);
  const row = node - segment.start;
  const properties = Object.create(null) as Record<string, PropertyValue>;
  for (const name of segment.propertyNames()) {
    const value = segment.value(row, name);
    if (value !== undefined) properties[propertyOfField(name) ?? name] = value;
  }
  return {
    type: segment.type,
    class: String(segment.value(row, 'class')),
    labels: labelsIn(segment.value(row, LABELS_FIELD)),
    properties,
  };
}
