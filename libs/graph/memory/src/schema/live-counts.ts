import type { Base } from '../base/base.ts';
import type { Named } from '../column/labels-field.ts';
import { nameGroups } from './segment-schema.ts';

/** Numbers of live records by type, class, label and verb, maintained by the writer. */
export class LiveCounts {
  readonly types = new Map<string, number>();
  readonly classes = new Map<string, number>();
  readonly labels = new Map<string, number>();
  /** Number of relationships by upper-case verb. */
  readonly verbs = new Map<string, number>();
  entities = 0;
  relationships = 0;

  static of(base: Base, verbNames: readonly string[]): LiveCounts {
    const counts = new LiveCounts();
    counts.entities = base.liveNodes;
    counts.relationships = base.liveLinks;
    for (const segment of base.segments) {
      if (segment.isDeleted) continue;
      add(counts.types, segment.type, segment.size);
      for (const { class: name, labels, size } of nameGroups(segment)) {
        add(counts.classes, name, size);
        for (const label of labels ?? []) add(counts.labels, label, size);
      }
    }
    for (const { group, isOut, isDeleted, at } of base.blocks.flat()) {
      if (isOut && !isDeleted) add(counts.verbs, verbNames[group] ?? '', (at.at(-1) ?? 0) - (at[0] ?? 0));
    }
    return counts;
  }

  addEntity({ type, class: className, labels }: Named, by: 1 | -1): void {
    this.entities += by;
    add(this.types, type, by);
    add(this.classes, className, by);
    if (labels !== undefined) for (const label of labels) add(this.labels, label, by);
  }

  addRelationship(verb: string, by: 1 | -1): void {
    this.relationships += by;
    add(this.verbs, verb, by);
  }
}

function add(counts: Map<string, number>, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
